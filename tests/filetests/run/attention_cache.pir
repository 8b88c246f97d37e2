test run
// A query attends to a cache of keys in shards: each device attends to its shard, and no key is moved. In causal order
// and through a mask, too.
form traced
mesh @m = [context=4]
input %q : f32[2, 1, 4]
input %p : f32[2, 2, 4]
input %k : f32[2, 32@context, 4]
input %v : f32[2, 32@context, 6]
input %mask : bool[2, 1, 32@context]
  %y = attention scale 0.5 %q, %k, %v : f32[2, 1, 6]
  %z = attention causal scale 0.5 %p, %k, %v, %mask : f32[2, 2, 6]
output %y
output %z
//= 4 devices agree
//= all_reduce 6
//= shard 5
