test propagate //~ L007 there is no mesh to partition over
// There is no mesh to partition over.
form traced
input %x : f32[32, 64]
  %r = relu %x : f32[32, 64]
output %r
//= error[L007]: there is no mesh to partition over
//=   = help: declare one: `--mesh data=2,model=4`
