; What optimisers write, one operation a function. `test_computations.py` holds the engine to LLVM's own machine code.
; The functions whose names end in `.partial` have no value on some arguments.

define i32 @smin_i32(i32 %x, i32 %y) {
  %r = call i32 @llvm.smin.i32(i32 %x, i32 %y)
  ret i32 %r
}

define i32 @smax_i32(i32 %x, i32 %y) {
  %r = call i32 @llvm.smax.i32(i32 %x, i32 %y)
  ret i32 %r
}

define i32 @umin_i32(i32 %x, i32 %y) {
  %r = call i32 @llvm.umin.i32(i32 %x, i32 %y)
  ret i32 %r
}

define i32 @umax_i32(i32 %x, i32 %y) {
  %r = call i32 @llvm.umax.i32(i32 %x, i32 %y)
  ret i32 %r
}

define i32 @sadd_sat_i32(i32 %x, i32 %y) {
  %r = call i32 @llvm.sadd.sat.i32(i32 %x, i32 %y)
  ret i32 %r
}

define i32 @uadd_sat_i32(i32 %x, i32 %y) {
  %r = call i32 @llvm.uadd.sat.i32(i32 %x, i32 %y)
  ret i32 %r
}

define i32 @ssub_sat_i32(i32 %x, i32 %y) {
  %r = call i32 @llvm.ssub.sat.i32(i32 %x, i32 %y)
  ret i32 %r
}

define i32 @usub_sat_i32(i32 %x, i32 %y) {
  %r = call i32 @llvm.usub.sat.i32(i32 %x, i32 %y)
  ret i32 %r
}

define i32 @ctpop_i32(i32 %x) {
  %r = call i32 @llvm.ctpop.i32(i32 %x)
  ret i32 %r
}

define i32 @bswap_i32(i32 %x) {
  %r = call i32 @llvm.bswap.i32(i32 %x)
  ret i32 %r
}

define i32 @bitreverse_i32(i32 %x) {
  %r = call i32 @llvm.bitreverse.i32(i32 %x)
  ret i32 %r
}

define i32 @fshl_i32(i32 %x, i32 %y, i32 %z) {
  %r = call i32 @llvm.fshl.i32(i32 %x, i32 %y, i32 %z)
  ret i32 %r
}

define i32 @fshr_i32(i32 %x, i32 %y, i32 %z) {
  %r = call i32 @llvm.fshr.i32(i32 %x, i32 %y, i32 %z)
  ret i32 %r
}

define i8 @smin_i8(i8 %x, i8 %y) {
  %r = call i8 @llvm.smin.i8(i8 %x, i8 %y)
  ret i8 %r
}

define i8 @smax_i8(i8 %x, i8 %y) {
  %r = call i8 @llvm.smax.i8(i8 %x, i8 %y)
  ret i8 %r
}

define i8 @umin_i8(i8 %x, i8 %y) {
  %r = call i8 @llvm.umin.i8(i8 %x, i8 %y)
  ret i8 %r
}

define i8 @umax_i8(i8 %x, i8 %y) {
  %r = call i8 @llvm.umax.i8(i8 %x, i8 %y)
  ret i8 %r
}

define i8 @sadd_sat_i8(i8 %x, i8 %y) {
  %r = call i8 @llvm.sadd.sat.i8(i8 %x, i8 %y)
  ret i8 %r
}

define i8 @uadd_sat_i8(i8 %x, i8 %y) {
  %r = call i8 @llvm.uadd.sat.i8(i8 %x, i8 %y)
  ret i8 %r
}

define i8 @ssub_sat_i8(i8 %x, i8 %y) {
  %r = call i8 @llvm.ssub.sat.i8(i8 %x, i8 %y)
  ret i8 %r
}

define i8 @usub_sat_i8(i8 %x, i8 %y) {
  %r = call i8 @llvm.usub.sat.i8(i8 %x, i8 %y)
  ret i8 %r
}

define i8 @ctpop_i8(i8 %x) {
  %r = call i8 @llvm.ctpop.i8(i8 %x)
  ret i8 %r
}

define i8 @bitreverse_i8(i8 %x) {
  %r = call i8 @llvm.bitreverse.i8(i8 %x)
  ret i8 %r
}

define i8 @fshl_i8(i8 %x, i8 %y, i8 %z) {
  %r = call i8 @llvm.fshl.i8(i8 %x, i8 %y, i8 %z)
  ret i8 %r
}

define i8 @fshr_i8(i8 %x, i8 %y, i8 %z) {
  %r = call i8 @llvm.fshr.i8(i8 %x, i8 %y, i8 %z)
  ret i8 %r
}

define <4 x i16> @smin_v4i16(<4 x i16> %x, <4 x i16> %y) {
  %r = call <4 x i16> @llvm.smin.v4i16(<4 x i16> %x, <4 x i16> %y)
  ret <4 x i16> %r
}

define <4 x i16> @smax_v4i16(<4 x i16> %x, <4 x i16> %y) {
  %r = call <4 x i16> @llvm.smax.v4i16(<4 x i16> %x, <4 x i16> %y)
  ret <4 x i16> %r
}

define <4 x i16> @umin_v4i16(<4 x i16> %x, <4 x i16> %y) {
  %r = call <4 x i16> @llvm.umin.v4i16(<4 x i16> %x, <4 x i16> %y)
  ret <4 x i16> %r
}

define <4 x i16> @umax_v4i16(<4 x i16> %x, <4 x i16> %y) {
  %r = call <4 x i16> @llvm.umax.v4i16(<4 x i16> %x, <4 x i16> %y)
  ret <4 x i16> %r
}

define <4 x i16> @sadd_sat_v4i16(<4 x i16> %x, <4 x i16> %y) {
  %r = call <4 x i16> @llvm.sadd.sat.v4i16(<4 x i16> %x, <4 x i16> %y)
  ret <4 x i16> %r
}

define <4 x i16> @uadd_sat_v4i16(<4 x i16> %x, <4 x i16> %y) {
  %r = call <4 x i16> @llvm.uadd.sat.v4i16(<4 x i16> %x, <4 x i16> %y)
  ret <4 x i16> %r
}

define <4 x i16> @ssub_sat_v4i16(<4 x i16> %x, <4 x i16> %y) {
  %r = call <4 x i16> @llvm.ssub.sat.v4i16(<4 x i16> %x, <4 x i16> %y)
  ret <4 x i16> %r
}

define <4 x i16> @usub_sat_v4i16(<4 x i16> %x, <4 x i16> %y) {
  %r = call <4 x i16> @llvm.usub.sat.v4i16(<4 x i16> %x, <4 x i16> %y)
  ret <4 x i16> %r
}

define <4 x i16> @ctpop_v4i16(<4 x i16> %x) {
  %r = call <4 x i16> @llvm.ctpop.v4i16(<4 x i16> %x)
  ret <4 x i16> %r
}

define <4 x i16> @bswap_v4i16(<4 x i16> %x) {
  %r = call <4 x i16> @llvm.bswap.v4i16(<4 x i16> %x)
  ret <4 x i16> %r
}

define <4 x i16> @bitreverse_v4i16(<4 x i16> %x) {
  %r = call <4 x i16> @llvm.bitreverse.v4i16(<4 x i16> %x)
  ret <4 x i16> %r
}

define <4 x i16> @fshl_v4i16(<4 x i16> %x, <4 x i16> %y, <4 x i16> %z) {
  %r = call <4 x i16> @llvm.fshl.v4i16(<4 x i16> %x, <4 x i16> %y, <4 x i16> %z)
  ret <4 x i16> %r
}

define <4 x i16> @fshr_v4i16(<4 x i16> %x, <4 x i16> %y, <4 x i16> %z) {
  %r = call <4 x i16> @llvm.fshr.v4i16(<4 x i16> %x, <4 x i16> %y, <4 x i16> %z)
  ret <4 x i16> %r
}

define { i16, i1 } @sadd_with_overflow_i16(i16 %x, i16 %y) {
  %r = call { i16, i1 } @llvm.sadd.with.overflow.i16(i16 %x, i16 %y)
  ret { i16, i1 } %r
}

define { i16, i1 } @ssub_with_overflow_i16(i16 %x, i16 %y) {
  %r = call { i16, i1 } @llvm.ssub.with.overflow.i16(i16 %x, i16 %y)
  ret { i16, i1 } %r
}

define { i16, i1 } @smul_with_overflow_i16(i16 %x, i16 %y) {
  %r = call { i16, i1 } @llvm.smul.with.overflow.i16(i16 %x, i16 %y)
  ret { i16, i1 } %r
}

define { i16, i1 } @uadd_with_overflow_i16(i16 %x, i16 %y) {
  %r = call { i16, i1 } @llvm.uadd.with.overflow.i16(i16 %x, i16 %y)
  ret { i16, i1 } %r
}

define { i16, i1 } @usub_with_overflow_i16(i16 %x, i16 %y) {
  %r = call { i16, i1 } @llvm.usub.with.overflow.i16(i16 %x, i16 %y)
  ret { i16, i1 } %r
}

define { i16, i1 } @umul_with_overflow_i16(i16 %x, i16 %y) {
  %r = call { i16, i1 } @llvm.umul.with.overflow.i16(i16 %x, i16 %y)
  ret { i16, i1 } %r
}

define i32 @ctlz_i32(i32 %x) {
  %r = call i32 @llvm.ctlz.i32(i32 %x, i1 false)
  ret i32 %r
}

define i32 @cttz_i32(i32 %x) {
  %r = call i32 @llvm.cttz.i32(i32 %x, i1 false)
  ret i32 %r
}

define i32 @abs_i32(i32 %x) {
  %r = call i32 @llvm.abs.i32(i32 %x, i1 false)
  ret i32 %r
}

define <2 x i32> @ctlz_v2i32(<2 x i32> %x) {
  %r = call <2 x i32> @llvm.ctlz.v2i32(<2 x i32> %x, i1 false)
  ret <2 x i32> %r
}

define <2 x i32> @abs_v2i32(<2 x i32> %x) {
  %r = call <2 x i32> @llvm.abs.v2i32(<2 x i32> %x, i1 false)
  ret <2 x i32> %r
}

define i8 @reduce_add(<4 x i8> %x) {
  %r = call i8 @llvm.vector.reduce.add.v4i8(<4 x i8> %x)
  ret i8 %r
}

define i8 @reduce_mul(<4 x i8> %x) {
  %r = call i8 @llvm.vector.reduce.mul.v4i8(<4 x i8> %x)
  ret i8 %r
}

define i8 @reduce_and(<4 x i8> %x) {
  %r = call i8 @llvm.vector.reduce.and.v4i8(<4 x i8> %x)
  ret i8 %r
}

define i8 @reduce_or(<4 x i8> %x) {
  %r = call i8 @llvm.vector.reduce.or.v4i8(<4 x i8> %x)
  ret i8 %r
}

define i8 @reduce_xor(<4 x i8> %x) {
  %r = call i8 @llvm.vector.reduce.xor.v4i8(<4 x i8> %x)
  ret i8 %r
}

define i8 @reduce_smin(<4 x i8> %x) {
  %r = call i8 @llvm.vector.reduce.smin.v4i8(<4 x i8> %x)
  ret i8 %r
}

define i8 @reduce_smax(<4 x i8> %x) {
  %r = call i8 @llvm.vector.reduce.smax.v4i8(<4 x i8> %x)
  ret i8 %r
}

define i8 @reduce_umin(<4 x i8> %x) {
  %r = call i8 @llvm.vector.reduce.umin.v4i8(<4 x i8> %x)
  ret i8 %r
}

define i8 @reduce_umax(<4 x i8> %x) {
  %r = call i8 @llvm.vector.reduce.umax.v4i8(<4 x i8> %x)
  ret i8 %r
}

define float @reduce_fadd(float %x, <4 x float> %y) {
  %r = call float @llvm.vector.reduce.fadd.v4f32(float %x, <4 x float> %y)
  ret float %r
}

define i8 @scmp(i32 %x, i32 %y) {
  %r = call i8 @llvm.scmp.i8.i32(i32 %x, i32 %y)
  ret i8 %r
}

define i8 @ucmp(i32 %x, i32 %y) {
  %r = call i8 @llvm.ucmp.i8.i32(i32 %x, i32 %y)
  ret i8 %r
}

define i8 @fptosi_to_8(float %x) {
  %r = call i8 @llvm.fptosi.sat.i8.f32(float %x)
  ret i8 %r
}

define i32 @fptosi_to_32(double %x) {
  %r = call i32 @llvm.fptosi.sat.i32.f64(double %x)
  ret i32 %r
}

define i64 @fptosi_to_64(float %x) {
  %r = call i64 @llvm.fptosi.sat.i64.f32(float %x)
  ret i64 %r
}

define i8 @fptoui_to_8(float %x) {
  %r = call i8 @llvm.fptoui.sat.i8.f32(float %x)
  ret i8 %r
}

define i32 @fptoui_to_32(double %x) {
  %r = call i32 @llvm.fptoui.sat.i32.f64(double %x)
  ret i32 %r
}

define i64 @fptoui_to_64(float %x) {
  %r = call i64 @llvm.fptoui.sat.i64.f32(float %x)
  ret i64 %r
}

define double @fmuladd(double %x, double %y, double %z) {
  %r = call double @llvm.fmuladd.f64(double %x, double %y, double %z)
  ret double %r
}

define <2 x double> @fabs_vector(<2 x double> %x) {
  %r = call <2 x double> @llvm.fabs.v2f64(<2 x double> %x)
  ret <2 x double> %r
}

define <4 x i32> @add_vector(<4 x i32> %x, <4 x i32> %y) {
  %r = add <4 x i32> %x, %y
  ret <4 x i32> %r
}

define <4 x i32> @sub_vector(<4 x i32> %x, <4 x i32> %y) {
  %r = sub <4 x i32> %x, %y
  ret <4 x i32> %r
}

define <4 x i32> @mul_vector(<4 x i32> %x, <4 x i32> %y) {
  %r = mul <4 x i32> %x, %y
  ret <4 x i32> %r
}

define <4 x i32> @and_vector(<4 x i32> %x, <4 x i32> %y) {
  %r = and <4 x i32> %x, %y
  ret <4 x i32> %r
}

define <4 x i32> @or_vector(<4 x i32> %x, <4 x i32> %y) {
  %r = or <4 x i32> %x, %y
  ret <4 x i32> %r
}

define <4 x i32> @xor_vector(<4 x i32> %x, <4 x i32> %y) {
  %r = xor <4 x i32> %x, %y
  ret <4 x i32> %r
}

define <4 x i32> @shl_masked(<4 x i32> %x, <4 x i32> %y) {
  %m = and <4 x i32> %y, splat (i32 31)
  %r = shl <4 x i32> %x, %m
  ret <4 x i32> %r
}

define <4 x i32> @lshr_masked(<4 x i32> %x, <4 x i32> %y) {
  %m = and <4 x i32> %y, splat (i32 31)
  %r = lshr <4 x i32> %x, %m
  ret <4 x i32> %r
}

define <4 x i32> @ashr_masked(<4 x i32> %x, <4 x i32> %y) {
  %m = and <4 x i32> %y, splat (i32 31)
  %r = ashr <4 x i32> %x, %m
  ret <4 x i32> %r
}

define <2 x i16> @udiv_vector(<2 x i16> %x, <2 x i16> %y) {
  %m = or <2 x i16> %y, splat (i16 1)
  %r = udiv <2 x i16> %x, %m
  ret <2 x i16> %r
}

define <2 x float> @fadd_vector(<2 x float> %x, <2 x float> %y) {
  %r = fadd <2 x float> %x, %y
  ret <2 x float> %r
}

define <2 x float> @fneg_vector(<2 x float> %x) {
  %r = fneg <2 x float> %x
  ret <2 x float> %r
}

define <4 x i8> @icmp_vector(<4 x i32> %x, <4 x i32> %y) {
  %c = icmp slt <4 x i32> %x, %y
  %r = zext <4 x i1> %c to <4 x i8>
  ret <4 x i8> %r
}

define <2 x i32> @fcmp_vector(<2 x float> %x, <2 x float> %y) {
  %c = fcmp ult <2 x float> %x, %y
  %r = sext <2 x i1> %c to <2 x i32>
  ret <2 x i32> %r
}

define <4 x i8> @select_vector(<4 x i8> %x, <4 x i8> %y) {
  %c = icmp ugt <4 x i8> %x, %y
  %r = select <4 x i1> %c, <4 x i8> %x, <4 x i8> %y
  ret <4 x i8> %r
}

define <4 x i8> @select_whole(<4 x i8> %x, <4 x i8> %y, i8 %z) {
  %c = icmp ugt i8 %z, 9
  %r = select i1 %c, <4 x i8> %x, <4 x i8> %y
  ret <4 x i8> %r
}

define i8 @mask(<8 x i16> %x, <8 x i16> %y) {
  %c = icmp eq <8 x i16> %x, %y
  %r = bitcast <8 x i1> %c to i8
  ret i8 %r
}

define <4 x i8> @from_mask(i8 %x) {
  %t = trunc i8 %x to i4
  %c = bitcast i4 %t to <4 x i1>
  %r = zext <4 x i1> %c to <4 x i8>
  ret <4 x i8> %r
}

define i32 @bytes(<4 x i8> %x) {
  %r = bitcast <4 x i8> %x to i32
  ret i32 %r
}

define <2 x i64> @wider(<4 x i32> %x) {
  %r = bitcast <4 x i32> %x to <2 x i64>
  ret <2 x i64> %r
}

define <2 x i32> @floats_as_bits(<2 x float> %x) {
  %r = bitcast <2 x float> %x to <2 x i32>
  ret <2 x i32> %r
}

define <4 x i8> @shuffle(<4 x i8> %x, <4 x i8> %y) {
  %r = shufflevector <4 x i8> %x, <4 x i8> %y, <4 x i32> <i32 7, i32 0, i32 2, i32 5>
  ret <4 x i8> %r
}

define <4 x i8> @splat(i8 %x) {
  %i = insertelement <4 x i8> poison, i8 %x, i64 0
  %r = shufflevector <4 x i8> %i, <4 x i8> poison, <4 x i32> zeroinitializer
  ret <4 x i8> %r
}

define i8 @element(<4 x i8> %x, i8 %y) {
  %i = and i8 %y, 3
  %r = extractelement <4 x i8> %x, i8 %i
  ret i8 %r
}

define <4 x i8> @put_element(<4 x i8> %x, i8 %y, i8 %z) {
  %i = and i8 %y, 3
  %r = insertelement <4 x i8> %x, i8 %z, i8 %i
  ret <4 x i8> %r
}

define <2 x i8> @truncated(<2 x i32> %x) {
  %r = trunc <2 x i32> %x to <2 x i8>
  ret <2 x i8> %r
}

define <2 x float> @to_floats(<2 x i32> %x) {
  %r = sitofp <2 x i32> %x to <2 x float>
  ret <2 x float> %r
}

define i8 @disjoint(i8 %x, i8 %y) {
  %h = and i8 %x, -16
  %l = and i8 %y, 15
  %r = or disjoint i8 %h, %l
  ret i8 %r
}

define i8 @frozen(i8 %x) {
  %r = freeze i8 %x
  ret i8 %r
}

define i8 @both(i8 %x, i8 %y) {
  %a = icmp slt i8 %x, 0
  %s = add nsw i8 %y, 1
  %b = icmp sgt i8 %s, 5
  %c = select i1 %a, i1 %b, i1 false
  %g = icmp slt i8 %y, 127
  %d = select i1 %g, i1 %c, i1 false
  %r = zext i1 %d to i8
  ret i8 %r
}

define { i8, i16 } @aggregate(i8 %x, i16 %y) {
  %p = insertvalue { i8, i16 } poison, i8 %x, 0
  %r = insertvalue { i8, i16 } %p, i16 %y, 1
  ret { i8, i16 } %r
}

define i8 @add_nsw.partial(i8 %x, i8 %y) {
  %r = add nsw i8 %x, %y
  ret i8 %r
}

define i8 @add_nuw.partial(i8 %x, i8 %y) {
  %r = add nuw i8 %x, %y
  ret i8 %r
}

define i8 @sub_nsw.partial(i8 %x, i8 %y) {
  %r = sub nsw i8 %x, %y
  ret i8 %r
}

define i8 @mul_nsw.partial(i8 %x, i8 %y) {
  %r = mul nsw i8 %x, %y
  ret i8 %r
}

define i8 @shl.partial(i8 %x, i8 %y) {
  %r = shl i8 %x, %y
  ret i8 %r
}

define i8 @shl_nuw.partial(i8 %x, i8 %y) {
  %r = shl nuw i8 %x, %y
  ret i8 %r
}

define i8 @shl_nsw.partial(i8 %x, i8 %y) {
  %r = shl nsw i8 %x, %y
  ret i8 %r
}

define i8 @lshr_exact.partial(i8 %x, i8 %y) {
  %r = lshr exact i8 %x, %y
  ret i8 %r
}

define i8 @ashr_exact.partial(i8 %x, i8 %y) {
  %r = ashr exact i8 %x, %y
  ret i8 %r
}

define i8 @udiv_exact.partial(i8 %x, i8 %y) {
  %r = udiv exact i8 %x, %y
  ret i8 %r
}

define i8 @or_disjoint.partial(i8 %x, i8 %y) {
  %r = or disjoint i8 %x, %y
  ret i8 %r
}

define i8 @trunc_nuw.partial(i16 %x) {
  %r = trunc nuw i16 %x to i8
  ret i8 %r
}

define i8 @trunc_nsw.partial(i16 %x) {
  %r = trunc nsw i16 %x to i8
  ret i8 %r
}

define i16 @zext_nneg.partial(i8 %x) {
  %r = zext nneg i8 %x to i16
  ret i16 %r
}

define float @uitofp_nneg.partial(i8 %x) {
  %r = uitofp nneg i8 %x to float
  ret float %r
}

define i8 @samesign.partial(i8 %x, i8 %y) {
  %c = icmp samesign ult i8 %x, %y
  %r = zext i1 %c to i8
  ret i8 %r
}

define i8 @ctlz.partial(i8 %x) {
  %r = call i8 @llvm.ctlz.i8(i8 %x, i1 true)
  ret i8 %r
}

define i8 @abs.partial(i8 %x) {
  %r = call i8 @llvm.abs.i8(i8 %x, i1 true)
  ret i8 %r
}

define i8 @fptosi.partial(i8 %x) {
  %f = sitofp i8 %x to float
  %d = fmul float %f, 2.0
  %r = fptosi float %d to i8
  ret i8 %r
}

define i8 @nnan.partial(i8 %x) {
  %f = uitofp i8 %x to float
  %q = fdiv nnan float 0.0, %f
  %c = fcmp oeq float %q, 0.0
  %r = zext i1 %c to i8
  ret i8 %r
}

; --- atomics of a program that runs alone: what they give, and what they leave in memory

define { i8, i8 } @atomic_add_i8(i8 %x, i8 %y) {
  %p = alloca i8, align 4
  store atomic i8 %x, ptr %p seq_cst, align 4
  %old = atomicrmw add ptr %p, i8 %y seq_cst, align 4
  %new = load atomic i8, ptr %p acquire, align 4
  %a = insertvalue { i8, i8 } poison, i8 %old, 0
  %b = insertvalue { i8, i8 } %a, i8 %new, 1
  ret { i8, i8 } %b
}

define { i8, i8 } @atomic_sub_i8(i8 %x, i8 %y) {
  %p = alloca i8, align 4
  store atomic i8 %x, ptr %p seq_cst, align 4
  %old = atomicrmw sub ptr %p, i8 %y seq_cst, align 4
  %new = load atomic i8, ptr %p acquire, align 4
  %a = insertvalue { i8, i8 } poison, i8 %old, 0
  %b = insertvalue { i8, i8 } %a, i8 %new, 1
  ret { i8, i8 } %b
}

define { i8, i8 } @atomic_and_i8(i8 %x, i8 %y) {
  %p = alloca i8, align 4
  store atomic i8 %x, ptr %p seq_cst, align 4
  %old = atomicrmw and ptr %p, i8 %y seq_cst, align 4
  %new = load atomic i8, ptr %p acquire, align 4
  %a = insertvalue { i8, i8 } poison, i8 %old, 0
  %b = insertvalue { i8, i8 } %a, i8 %new, 1
  ret { i8, i8 } %b
}

define { i8, i8 } @atomic_or_i8(i8 %x, i8 %y) {
  %p = alloca i8, align 4
  store atomic i8 %x, ptr %p seq_cst, align 4
  %old = atomicrmw or ptr %p, i8 %y seq_cst, align 4
  %new = load atomic i8, ptr %p acquire, align 4
  %a = insertvalue { i8, i8 } poison, i8 %old, 0
  %b = insertvalue { i8, i8 } %a, i8 %new, 1
  ret { i8, i8 } %b
}

define { i8, i8 } @atomic_xor_i8(i8 %x, i8 %y) {
  %p = alloca i8, align 4
  store atomic i8 %x, ptr %p seq_cst, align 4
  %old = atomicrmw xor ptr %p, i8 %y seq_cst, align 4
  %new = load atomic i8, ptr %p acquire, align 4
  %a = insertvalue { i8, i8 } poison, i8 %old, 0
  %b = insertvalue { i8, i8 } %a, i8 %new, 1
  ret { i8, i8 } %b
}

define { i8, i8 } @atomic_nand_i8(i8 %x, i8 %y) {
  %p = alloca i8, align 4
  store atomic i8 %x, ptr %p seq_cst, align 4
  %old = atomicrmw nand ptr %p, i8 %y seq_cst, align 4
  %new = load atomic i8, ptr %p acquire, align 4
  %a = insertvalue { i8, i8 } poison, i8 %old, 0
  %b = insertvalue { i8, i8 } %a, i8 %new, 1
  ret { i8, i8 } %b
}

define { i8, i8 } @atomic_xchg_i8(i8 %x, i8 %y) {
  %p = alloca i8, align 4
  store atomic i8 %x, ptr %p seq_cst, align 4
  %old = atomicrmw xchg ptr %p, i8 %y seq_cst, align 4
  %new = load atomic i8, ptr %p acquire, align 4
  %a = insertvalue { i8, i8 } poison, i8 %old, 0
  %b = insertvalue { i8, i8 } %a, i8 %new, 1
  ret { i8, i8 } %b
}

define { i8, i8 } @atomic_max_i8(i8 %x, i8 %y) {
  %p = alloca i8, align 4
  store atomic i8 %x, ptr %p seq_cst, align 4
  %old = atomicrmw max ptr %p, i8 %y seq_cst, align 4
  %new = load atomic i8, ptr %p acquire, align 4
  %a = insertvalue { i8, i8 } poison, i8 %old, 0
  %b = insertvalue { i8, i8 } %a, i8 %new, 1
  ret { i8, i8 } %b
}

define { i8, i8 } @atomic_min_i8(i8 %x, i8 %y) {
  %p = alloca i8, align 4
  store atomic i8 %x, ptr %p seq_cst, align 4
  %old = atomicrmw min ptr %p, i8 %y seq_cst, align 4
  %new = load atomic i8, ptr %p acquire, align 4
  %a = insertvalue { i8, i8 } poison, i8 %old, 0
  %b = insertvalue { i8, i8 } %a, i8 %new, 1
  ret { i8, i8 } %b
}

define { i8, i8 } @atomic_umax_i8(i8 %x, i8 %y) {
  %p = alloca i8, align 4
  store atomic i8 %x, ptr %p seq_cst, align 4
  %old = atomicrmw umax ptr %p, i8 %y seq_cst, align 4
  %new = load atomic i8, ptr %p acquire, align 4
  %a = insertvalue { i8, i8 } poison, i8 %old, 0
  %b = insertvalue { i8, i8 } %a, i8 %new, 1
  ret { i8, i8 } %b
}

define { i8, i8 } @atomic_umin_i8(i8 %x, i8 %y) {
  %p = alloca i8, align 4
  store atomic i8 %x, ptr %p seq_cst, align 4
  %old = atomicrmw umin ptr %p, i8 %y seq_cst, align 4
  %new = load atomic i8, ptr %p acquire, align 4
  %a = insertvalue { i8, i8 } poison, i8 %old, 0
  %b = insertvalue { i8, i8 } %a, i8 %new, 1
  ret { i8, i8 } %b
}

define { i32, i32 } @atomic_add_i32(i32 %x, i32 %y) {
  %p = alloca i32, align 4
  store atomic i32 %x, ptr %p seq_cst, align 4
  %old = atomicrmw add ptr %p, i32 %y seq_cst, align 4
  %new = load atomic i32, ptr %p acquire, align 4
  %a = insertvalue { i32, i32 } poison, i32 %old, 0
  %b = insertvalue { i32, i32 } %a, i32 %new, 1
  ret { i32, i32 } %b
}

define { i32, i32 } @atomic_sub_i32(i32 %x, i32 %y) {
  %p = alloca i32, align 4
  store atomic i32 %x, ptr %p seq_cst, align 4
  %old = atomicrmw sub ptr %p, i32 %y seq_cst, align 4
  %new = load atomic i32, ptr %p acquire, align 4
  %a = insertvalue { i32, i32 } poison, i32 %old, 0
  %b = insertvalue { i32, i32 } %a, i32 %new, 1
  ret { i32, i32 } %b
}

define { i32, i32 } @atomic_and_i32(i32 %x, i32 %y) {
  %p = alloca i32, align 4
  store atomic i32 %x, ptr %p seq_cst, align 4
  %old = atomicrmw and ptr %p, i32 %y seq_cst, align 4
  %new = load atomic i32, ptr %p acquire, align 4
  %a = insertvalue { i32, i32 } poison, i32 %old, 0
  %b = insertvalue { i32, i32 } %a, i32 %new, 1
  ret { i32, i32 } %b
}

define { i32, i32 } @atomic_or_i32(i32 %x, i32 %y) {
  %p = alloca i32, align 4
  store atomic i32 %x, ptr %p seq_cst, align 4
  %old = atomicrmw or ptr %p, i32 %y seq_cst, align 4
  %new = load atomic i32, ptr %p acquire, align 4
  %a = insertvalue { i32, i32 } poison, i32 %old, 0
  %b = insertvalue { i32, i32 } %a, i32 %new, 1
  ret { i32, i32 } %b
}

define { i32, i32 } @atomic_xor_i32(i32 %x, i32 %y) {
  %p = alloca i32, align 4
  store atomic i32 %x, ptr %p seq_cst, align 4
  %old = atomicrmw xor ptr %p, i32 %y seq_cst, align 4
  %new = load atomic i32, ptr %p acquire, align 4
  %a = insertvalue { i32, i32 } poison, i32 %old, 0
  %b = insertvalue { i32, i32 } %a, i32 %new, 1
  ret { i32, i32 } %b
}

define { i32, i32 } @atomic_nand_i32(i32 %x, i32 %y) {
  %p = alloca i32, align 4
  store atomic i32 %x, ptr %p seq_cst, align 4
  %old = atomicrmw nand ptr %p, i32 %y seq_cst, align 4
  %new = load atomic i32, ptr %p acquire, align 4
  %a = insertvalue { i32, i32 } poison, i32 %old, 0
  %b = insertvalue { i32, i32 } %a, i32 %new, 1
  ret { i32, i32 } %b
}

define { i32, i32 } @atomic_xchg_i32(i32 %x, i32 %y) {
  %p = alloca i32, align 4
  store atomic i32 %x, ptr %p seq_cst, align 4
  %old = atomicrmw xchg ptr %p, i32 %y seq_cst, align 4
  %new = load atomic i32, ptr %p acquire, align 4
  %a = insertvalue { i32, i32 } poison, i32 %old, 0
  %b = insertvalue { i32, i32 } %a, i32 %new, 1
  ret { i32, i32 } %b
}

define { i32, i32 } @atomic_max_i32(i32 %x, i32 %y) {
  %p = alloca i32, align 4
  store atomic i32 %x, ptr %p seq_cst, align 4
  %old = atomicrmw max ptr %p, i32 %y seq_cst, align 4
  %new = load atomic i32, ptr %p acquire, align 4
  %a = insertvalue { i32, i32 } poison, i32 %old, 0
  %b = insertvalue { i32, i32 } %a, i32 %new, 1
  ret { i32, i32 } %b
}

define { i32, i32 } @atomic_min_i32(i32 %x, i32 %y) {
  %p = alloca i32, align 4
  store atomic i32 %x, ptr %p seq_cst, align 4
  %old = atomicrmw min ptr %p, i32 %y seq_cst, align 4
  %new = load atomic i32, ptr %p acquire, align 4
  %a = insertvalue { i32, i32 } poison, i32 %old, 0
  %b = insertvalue { i32, i32 } %a, i32 %new, 1
  ret { i32, i32 } %b
}

define { i32, i32 } @atomic_umax_i32(i32 %x, i32 %y) {
  %p = alloca i32, align 4
  store atomic i32 %x, ptr %p seq_cst, align 4
  %old = atomicrmw umax ptr %p, i32 %y seq_cst, align 4
  %new = load atomic i32, ptr %p acquire, align 4
  %a = insertvalue { i32, i32 } poison, i32 %old, 0
  %b = insertvalue { i32, i32 } %a, i32 %new, 1
  ret { i32, i32 } %b
}

define { i32, i32 } @atomic_umin_i32(i32 %x, i32 %y) {
  %p = alloca i32, align 4
  store atomic i32 %x, ptr %p seq_cst, align 4
  %old = atomicrmw umin ptr %p, i32 %y seq_cst, align 4
  %new = load atomic i32, ptr %p acquire, align 4
  %a = insertvalue { i32, i32 } poison, i32 %old, 0
  %b = insertvalue { i32, i32 } %a, i32 %new, 1
  ret { i32, i32 } %b
}

define { float, float } @atomic_fadd(i16 %x, i16 %y) {
  %p = alloca float, align 4
  %first = sitofp i16 %x to float
  %second = sitofp i16 %y to float
  store float %first, ptr %p, align 4
  %old = atomicrmw fadd ptr %p, float %second monotonic, align 4
  fence seq_cst
  %new = load float, ptr %p, align 4
  %a = insertvalue { float, float } poison, float %old, 0
  %b = insertvalue { float, float } %a, float %new, 1
  ret { float, float } %b
}

define { float, float } @atomic_fsub(i16 %x, i16 %y) {
  %p = alloca float, align 4
  %first = sitofp i16 %x to float
  %second = sitofp i16 %y to float
  store float %first, ptr %p, align 4
  %old = atomicrmw fsub ptr %p, float %second monotonic, align 4
  fence seq_cst
  %new = load float, ptr %p, align 4
  %a = insertvalue { float, float } poison, float %old, 0
  %b = insertvalue { float, float } %a, float %new, 1
  ret { float, float } %b
}

define { float, float } @atomic_fmax(i16 %x, i16 %y) {
  %p = alloca float, align 4
  %first = sitofp i16 %x to float
  %second = sitofp i16 %y to float
  store float %first, ptr %p, align 4
  %old = atomicrmw fmax ptr %p, float %second monotonic, align 4
  fence seq_cst
  %new = load float, ptr %p, align 4
  %a = insertvalue { float, float } poison, float %old, 0
  %b = insertvalue { float, float } %a, float %new, 1
  ret { float, float } %b
}

define { float, float } @atomic_fmin(i16 %x, i16 %y) {
  %p = alloca float, align 4
  %first = sitofp i16 %x to float
  %second = sitofp i16 %y to float
  store float %first, ptr %p, align 4
  %old = atomicrmw fmin ptr %p, float %second monotonic, align 4
  fence seq_cst
  %new = load float, ptr %p, align 4
  %a = insertvalue { float, float } poison, float %old, 0
  %b = insertvalue { float, float } %a, float %new, 1
  ret { float, float } %b
}

define { i8, i1, i8 } @strong_cmpxchg(i8 %x, i8 %y) {
  %p = alloca i8, align 1
  %same = and i8 %x, 3
  %wanted = and i8 %y, 3
  store i8 %same, ptr %p, align 1
  %both = cmpxchg ptr %p, i8 %wanted, i8 77 acq_rel monotonic, align 1
  %old = extractvalue { i8, i1 } %both, 0
  %done = extractvalue { i8, i1 } %both, 1
  %new = load i8, ptr %p, align 1
  %a = insertvalue { i8, i1, i8 } poison, i8 %old, 0
  %b = insertvalue { i8, i1, i8 } %a, i1 %done, 1
  %c = insertvalue { i8, i1, i8 } %b, i8 %new, 2
  ret { i8, i1, i8 } %c
}

define { i8, i1, i8 } @weak_cmpxchg(i8 %x, i8 %y) {
  %p = alloca i8, align 1
  %same = and i8 %x, 3
  %wanted = and i8 %y, 3
  store i8 %same, ptr %p, align 1
  %both = cmpxchg weak ptr %p, i8 %wanted, i8 77 acq_rel monotonic, align 1
  %old = extractvalue { i8, i1 } %both, 0
  %done = extractvalue { i8, i1 } %both, 1
  %new = load i8, ptr %p, align 1
  %a = insertvalue { i8, i1, i8 } poison, i8 %old, 0
  %b = insertvalue { i8, i1, i8 } %a, i1 %done, 1
  %c = insertvalue { i8, i1, i8 } %b, i8 %new, 2
  ret { i8, i1, i8 } %c
}

; --- the bits of computed floats, long double, and objects that do not overlap

define i32 @bits_of_float(i32 %x) {
  %f = sitofp i32 %x to float
  %g = fmul float %f, 1.500000e+00
  %r = bitcast float %g to i32
  ret i32 %r
}

define i64 @bits_of_double(i32 %x) {
  %f = sitofp i32 %x to double
  %g = fmul double %f, 1.000000e-01
  %r = bitcast double %g to i64
  ret i64 %r
}

define i1 @sign_of_double(i32 %x) {
  %f = sitofp i32 %x to double
  %g = fmul double %f, -2.500000e-01
  %b = bitcast double %g to i64
  %r = icmp slt i64 %b, 0
  ret i1 %r
}

define { float, i16 } @halves_of_float(i32 %x) {
  %f = sitofp i32 %x to float
  %g = fadd float %f, 5.000000e-01
  %b = bitcast float %g to i32
  %h = lshr i32 %b, 16
  %t = trunc i32 %h to i16
  %back = bitcast i32 %b to float
  %a = insertvalue { float, i16 } poison, float %back, 0
  %r = insertvalue { float, i16 } %a, i16 %t, 1
  ret { float, i16 } %r
}

define double @extended_fadd(double %x, double %y) {
  %p = alloca x86_fp80, align 16
  %a = fpext double %x to x86_fp80
  %b = fpext double %y to x86_fp80
  %c = fadd x86_fp80 %a, %b
  %d = fadd x86_fp80 %c, 0xK3FFBCCCCCCCCCCCCCCCD
  store x86_fp80 %d, ptr %p, align 16
  %e = load x86_fp80, ptr %p, align 16
  %r = fptrunc x86_fp80 %e to double
  ret double %r
}

define double @extended_fsub(double %x, double %y) {
  %p = alloca x86_fp80, align 16
  %a = fpext double %x to x86_fp80
  %b = fpext double %y to x86_fp80
  %c = fsub x86_fp80 %a, %b
  %d = fsub x86_fp80 %c, 0xK3FFBCCCCCCCCCCCCCCCD
  store x86_fp80 %d, ptr %p, align 16
  %e = load x86_fp80, ptr %p, align 16
  %r = fptrunc x86_fp80 %e to double
  ret double %r
}

define double @extended_fmul(double %x, double %y) {
  %p = alloca x86_fp80, align 16
  %a = fpext double %x to x86_fp80
  %b = fpext double %y to x86_fp80
  %c = fmul x86_fp80 %a, %b
  %d = fmul x86_fp80 %c, 0xK3FFBCCCCCCCCCCCCCCCD
  store x86_fp80 %d, ptr %p, align 16
  %e = load x86_fp80, ptr %p, align 16
  %r = fptrunc x86_fp80 %e to double
  ret double %r
}

define double @extended_fdiv(double %x, double %y) {
  %p = alloca x86_fp80, align 16
  %a = fpext double %x to x86_fp80
  %b = fpext double %y to x86_fp80
  %c = fdiv x86_fp80 %a, %b
  %d = fdiv x86_fp80 %c, 0xK3FFBCCCCCCCCCCCCCCCD
  store x86_fp80 %d, ptr %p, align 16
  %e = load x86_fp80, ptr %p, align 16
  %r = fptrunc x86_fp80 %e to double
  ret double %r
}

define { i64, i16 } @extended_bits(i32 %x, i32 %y) {
  %p = alloca x86_fp80, align 16
  %a = sitofp i32 %x to x86_fp80
  %b = sitofp i32 %y to x86_fp80
  %c = fmul x86_fp80 %a, 0xK3FFBCCCCCCCCCCCCCCCD
  %d = fsub x86_fp80 %c, %b
  store x86_fp80 %d, ptr %p, align 16
  %low = load i64, ptr %p, align 16
  %q = getelementptr i8, ptr %p, i64 8
  %high = load i16, ptr %q, align 8
  %e = insertvalue { i64, i16 } poison, i64 %low, 0
  %r = insertvalue { i64, i16 } %e, i16 %high, 1
  ret { i64, i16 } %r
}

define i1 @extended_order(double %x, double %y) {
  %a = fpext double %x to x86_fp80
  %b = fpext double %y to x86_fp80
  %n = fneg x86_fp80 %b
  %r = fcmp olt x86_fp80 %a, %n
  ret i1 %r
}

define float @rest_float(float %x, float %y) {
  %r = frem float %x, %y
  ret float %r
}

define double @rest_double(double %x, double %y) {
  %r = frem double %x, %y
  ret double %r
}

define i8 @apart_and(i8 %x) {
  %p = alloca [8 x i8], align 1
  %q = alloca [4 x i8], align 1
  %pe = getelementptr i8, ptr %p, i64 8
  %qe = getelementptr i8, ptr %q, i64 4
  %first = icmp ult ptr %p, %qe
  %second = icmp ugt ptr %pe, %q
  %c = and i1 %first, %second
  br i1 %c, label %yes, label %no
yes:
  ret i8 %x
no:
  ret i8 7
}

define i8 @apart_or(i8 %x) {
  %p = alloca [8 x i8], align 1
  %q = alloca [4 x i8], align 1
  %pe = getelementptr i8, ptr %p, i64 8
  %qe = getelementptr i8, ptr %q, i64 4
  %first = icmp ult ptr %p, %qe
  %second = icmp ugt ptr %pe, %q
  %not = xor i1 %first, true
  %c = or i1 %first, %not
  br i1 %c, label %yes, label %no
yes:
  ret i8 %x
no:
  ret i8 7
}

define i8 @apart_select(i8 %x) {
  %p = alloca [8 x i8], align 1
  %q = alloca [4 x i8], align 1
  %pe = getelementptr i8, ptr %p, i64 8
  %qe = getelementptr i8, ptr %q, i64 4
  %first = icmp ult ptr %p, %qe
  %second = icmp ugt ptr %pe, %q
  %c = select i1 %first, i1 %second, i1 false
  br i1 %c, label %yes, label %no
yes:
  ret i8 %x
no:
  ret i8 7
}

declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.umin.i32(i32, i32)
declare i32 @llvm.umax.i32(i32, i32)
declare i32 @llvm.sadd.sat.i32(i32, i32)
declare i32 @llvm.uadd.sat.i32(i32, i32)
declare i32 @llvm.ssub.sat.i32(i32, i32)
declare i32 @llvm.usub.sat.i32(i32, i32)
declare i32 @llvm.ctpop.i32(i32)
declare i32 @llvm.bswap.i32(i32)
declare i32 @llvm.bitreverse.i32(i32)
declare i32 @llvm.fshl.i32(i32, i32, i32)
declare i32 @llvm.fshr.i32(i32, i32, i32)
declare i8 @llvm.smin.i8(i8, i8)
declare i8 @llvm.smax.i8(i8, i8)
declare i8 @llvm.umin.i8(i8, i8)
declare i8 @llvm.umax.i8(i8, i8)
declare i8 @llvm.sadd.sat.i8(i8, i8)
declare i8 @llvm.uadd.sat.i8(i8, i8)
declare i8 @llvm.ssub.sat.i8(i8, i8)
declare i8 @llvm.usub.sat.i8(i8, i8)
declare i8 @llvm.ctpop.i8(i8)
declare i8 @llvm.bitreverse.i8(i8)
declare i8 @llvm.fshl.i8(i8, i8, i8)
declare i8 @llvm.fshr.i8(i8, i8, i8)
declare <4 x i16> @llvm.smin.v4i16(<4 x i16>, <4 x i16>)
declare <4 x i16> @llvm.smax.v4i16(<4 x i16>, <4 x i16>)
declare <4 x i16> @llvm.umin.v4i16(<4 x i16>, <4 x i16>)
declare <4 x i16> @llvm.umax.v4i16(<4 x i16>, <4 x i16>)
declare <4 x i16> @llvm.sadd.sat.v4i16(<4 x i16>, <4 x i16>)
declare <4 x i16> @llvm.uadd.sat.v4i16(<4 x i16>, <4 x i16>)
declare <4 x i16> @llvm.ssub.sat.v4i16(<4 x i16>, <4 x i16>)
declare <4 x i16> @llvm.usub.sat.v4i16(<4 x i16>, <4 x i16>)
declare <4 x i16> @llvm.ctpop.v4i16(<4 x i16>)
declare <4 x i16> @llvm.bswap.v4i16(<4 x i16>)
declare <4 x i16> @llvm.bitreverse.v4i16(<4 x i16>)
declare <4 x i16> @llvm.fshl.v4i16(<4 x i16>, <4 x i16>, <4 x i16>)
declare <4 x i16> @llvm.fshr.v4i16(<4 x i16>, <4 x i16>, <4 x i16>)
declare { i16, i1 } @llvm.sadd.with.overflow.i16(i16, i16)
declare { i16, i1 } @llvm.ssub.with.overflow.i16(i16, i16)
declare { i16, i1 } @llvm.smul.with.overflow.i16(i16, i16)
declare { i16, i1 } @llvm.uadd.with.overflow.i16(i16, i16)
declare { i16, i1 } @llvm.usub.with.overflow.i16(i16, i16)
declare { i16, i1 } @llvm.umul.with.overflow.i16(i16, i16)
declare i32 @llvm.ctlz.i32(i32, i1)
declare i32 @llvm.cttz.i32(i32, i1)
declare i32 @llvm.abs.i32(i32, i1)
declare <2 x i32> @llvm.ctlz.v2i32(<2 x i32>, i1)
declare <2 x i32> @llvm.abs.v2i32(<2 x i32>, i1)
declare i8 @llvm.vector.reduce.add.v4i8(<4 x i8>)
declare i8 @llvm.vector.reduce.mul.v4i8(<4 x i8>)
declare i8 @llvm.vector.reduce.and.v4i8(<4 x i8>)
declare i8 @llvm.vector.reduce.or.v4i8(<4 x i8>)
declare i8 @llvm.vector.reduce.xor.v4i8(<4 x i8>)
declare i8 @llvm.vector.reduce.smin.v4i8(<4 x i8>)
declare i8 @llvm.vector.reduce.smax.v4i8(<4 x i8>)
declare i8 @llvm.vector.reduce.umin.v4i8(<4 x i8>)
declare i8 @llvm.vector.reduce.umax.v4i8(<4 x i8>)
declare float @llvm.vector.reduce.fadd.v4f32(float, <4 x float>)
declare i8 @llvm.scmp.i8.i32(i32, i32)
declare i8 @llvm.ucmp.i8.i32(i32, i32)
declare i8 @llvm.fptosi.sat.i8.f32(float)
declare i32 @llvm.fptosi.sat.i32.f64(double)
declare i64 @llvm.fptosi.sat.i64.f32(float)
declare i8 @llvm.fptoui.sat.i8.f32(float)
declare i32 @llvm.fptoui.sat.i32.f64(double)
declare i64 @llvm.fptoui.sat.i64.f32(float)
declare double @llvm.fmuladd.f64(double, double, double)
declare <2 x double> @llvm.fabs.v2f64(<2 x double>)
declare i8 @llvm.ctlz.i8(i8, i1)
declare i8 @llvm.abs.i8(i8, i1)
