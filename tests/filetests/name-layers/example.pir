test name-layers
// The example of the pass's documentation: values are numbered within their layer.
form traced
param %w0 "blocks.0.w" : f32[4, 4]
param %w1 "blocks.1.w" : f32[4, 4]
param %w2 "blocks.2.w" : f32[4, 4]
param %w3 "blocks.3.w" : f32[4, 4]
input %x : f32[4, 4]
  %matmul = matmul %x, %w0 : f32[4, 4]
  %relu = relu %matmul : f32[4, 4]
  %matmul.1 = matmul %relu, %w1 : f32[4, 4]
  %relu.1 = relu %matmul.1 : f32[4, 4]
  %matmul.2 = matmul %relu.1, %w2 : f32[4, 4]
  %relu.2 = relu %matmul.2 : f32[4, 4]
  %matmul.3 = matmul %relu.2, %w3 : f32[4, 4]
  %relu.3 = relu %matmul.3 : f32[4, 4]
  %y = tanh %relu.3 : f32[4, 4]
output %y
//= form traced
//= param %w0 "blocks.0.w" : f32[4, 4]
//= param %w1 "blocks.1.w" : f32[4, 4]
//= param %w2 "blocks.2.w" : f32[4, 4]
//= param %w3 "blocks.3.w" : f32[4, 4]
//= input %x : f32[4, 4]
//=   %blocks.0.matmul = matmul %x, %w0 : f32[4, 4]
//=   %blocks.0.relu = relu %blocks.0.matmul : f32[4, 4]
//=   %blocks.1.matmul = matmul %blocks.0.relu, %w1 : f32[4, 4]
//=   %blocks.1.relu = relu %blocks.1.matmul : f32[4, 4]
//=   %blocks.2.matmul = matmul %blocks.1.relu, %w2 : f32[4, 4]
//=   %blocks.2.relu = relu %blocks.2.matmul : f32[4, 4]
//=   %blocks.3.matmul = matmul %blocks.2.relu, %w3 : f32[4, 4]
//=   %blocks.3.relu = relu %blocks.3.matmul : f32[4, 4]
//=   %y = tanh %blocks.3.relu : f32[4, 4]
//= output %y
