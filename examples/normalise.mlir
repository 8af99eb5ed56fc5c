// Brings each channel of a photograph to a wanted brightness and contrast: scale, shift, limit to a
// byte's range, round to the nearest byte.
//
//   opsir-run examples/normalise.mlir --random 0 --shape 0:427x640x3 --check --time
//
// Element types and shapes in between are left to promote-types and infer-shapes.

!image = tensor<?x?x3xui8, #opsir.layout<sizes [height, width]>>
!later = tensor<*x!opsir.infer>

func.func @normalise(%image: !image, %scale: tensor<3xf32>, %bias: tensor<3xf32>) -> tensor<*xui8> {
  %scaled = opsir.mul %image, %scale : (!image, tensor<3xf32>) -> !later
  %moved = opsir.add %scaled, %bias : (!later, tensor<3xf32>) -> !later
  %black = opsir.scalar 0 : !opsir.weak<int>
  %white = opsir.scalar 255 : !opsir.weak<int>
  %limited = opsir.clip %moved, %black, %white : (!later, !opsir.weak<int>, !opsir.weak<int>) -> !later
  %rounded = opsir.rint %limited : (!later) -> !later
  %bytes = opsir.cast %rounded : !later to tensor<*xui8>
  func.return %bytes : tensor<*xui8>
}
