@group(0) @binding(0) var<storage, read_write> given: array<u32>;
@group(0) @binding(1) var<storage, read_write> results: array<u32>;
struct info_st { static_meta: array<u32, 2> }
@group(0) @binding(2) var<storage, read> info_var: info_st;
var<workgroup> held: array<f32, 32>;

// Multiplies each number by sixteen, through shared memory.
@compute @workgroup_size(32, 1, 1)
fn partita_trial(@builtin(local_invocation_index) me: u32) {
    held[31u - me] = 16.0 * bitcast<f32>(given[me]);
    workgroupBarrier();
    results[me] = bitcast<u32>(held[31u - me]);
}
