; Functions of two 64-bit values, each with a kernel that calls it for its thread's. The build makes PTX of them
; (CMakeLists.txt): calls.ptx, in which the functions are not inlined, and inlined.ptx behind opt -O2. results.inc is
; computed by the functions as llc-19 compiles them for x86-64.
target triple = "nvptx64-nvidia-cuda"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
@squares = addrspace(1) constant [8 x i16] [i16 0, i16 1, i16 4, i16 9, i16 -16, i16 25, i16 36, i16 -49]
@words = addrspace(1) global [3 x i32] [i32 11, i32 22, i32 33]
@pointers = addrspace(1) constant [4 x ptr] [ptr addrspacecast (ptr addrspace(1) @words to ptr), ptr addrspacecast (ptr addrspace(1) getelementptr (i32, ptr addrspace(1) @words, i64 1) to ptr), ptr addrspacecast (ptr addrspace(1) getelementptr (i32, ptr addrspace(1) @words, i64 2) to ptr), ptr addrspacecast (ptr addrspace(1) @words to ptr)]

declare float @llvm.fabs.f32(float)
declare float @llvm.sqrt.f32(float)
declare double @llvm.fma.f64(double, double, double)
declare i32 @llvm.vector.reduce.add.v4i32(<4 x i32>)
declare i32 @llvm.fptosi.sat.i32.f32(float)
declare i8 @llvm.fptoui.sat.i8.f32(float)
declare i64 @llvm.fptosi.sat.i64.f64(double)
declare i16 @llvm.fptosi.sat.i16.f64(double)
declare float @llvm.floor.f32(float)
declare float @llvm.ceil.f32(float)
declare float @llvm.trunc.f32(float)
declare float @llvm.rint.f32(float)
declare double @llvm.round.f64(double)
declare double @llvm.roundeven.f64(double)
declare double @llvm.nearbyint.f64(double)
declare float @llvm.minnum.f32(float, float)
declare float @llvm.maxnum.f32(float, float)
declare float @llvm.copysign.f32(float, float)
declare i64 @llvm.ctpop.i64(i64)
declare i32 @llvm.ctlz.i32(i32, i1)
declare i64 @llvm.cttz.i64(i64, i1)
declare i16 @llvm.ctpop.i16(i16)
declare i8 @llvm.ctlz.i8(i8, i1)
declare i64 @llvm.ctlz.i64(i64, i1)
declare i64 @llvm.bitreverse.i64(i64)
declare i32 @llvm.bitreverse.i32(i32)
declare i64 @llvm.bswap.i64(i64)
declare i32 @llvm.bswap.i32(i32)
declare i16 @llvm.bswap.i16(i16)
declare i64 @llvm.fshl.i64(i64, i64, i64)
declare i32 @llvm.fshr.i32(i32, i32, i32)
declare i32 @llvm.fshl.i32(i32, i32, i32)
declare {i64, i1} @llvm.umul.with.overflow.i64(i64, i64)
declare {i32, i1} @llvm.sadd.with.overflow.i32(i32, i32)
declare i32 @llvm.uadd.sat.i32(i32, i32)
declare i32 @llvm.ssub.sat.i32(i32, i32)
declare i64 @llvm.abs.i64(i64, i1)
declare i32 @llvm.smin.i32(i32, i32)
declare i64 @llvm.umax.i64(i64, i64)
declare i16 @llvm.smax.i16(i16, i16)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

define internal i64 @sum_loop_of(i64 %a, i64 %b) {
  %n = and i64 %a, 255
  %none = icmp eq i64 %n, 0
  br i1 %none, label %end, label %loop
loop:
  %i = phi i64 [0, %0], [%i2, %loop]
  %s = phi i64 [0, %0], [%s2, %loop]
  %m = mul i64 %i, %b
  %s2 = add i64 %s, %m
  %i2 = add i64 %i, 1
  %more = icmp ult i64 %i2, %n
  br i1 %more, label %loop, label %end
end:
  %r = phi i64 [0, %0], [%s2, %loop]
  ret i64 %r
}
define void @sum_loop(ptr addrspace(1) %out, ptr addrspace(1) %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %po = getelementptr i64, ptr addrspace(1) %out, i32 %t
  %pi = getelementptr {i64, i64}, ptr addrspace(1) %in, i32 %t
  %pj = getelementptr {i64, i64}, ptr addrspace(1) %in, i32 %t, i32 1
  %a = load i64, ptr addrspace(1) %pi
  %b = load i64, ptr addrspace(1) %pj
  %r = call i64 @sum_loop_of(i64 %a, i64 %b)
  store i64 %r, ptr addrspace(1) %po
  ret void
}

define internal i64 @switches_of(i64 %a, i64 %b) {
  %k = urem i64 %a, 7
  switch i64 %k, label %d [ i64 0, label %c0
    i64 1, label %c1
    i64 2, label %c2
    i64 3, label %c3
    i64 5, label %c1 ]
c0:
  %x0 = add i64 %b, 100
  br label %c1
c1:
  %x1 = phi i64 [%b, %0], [%b, %0], [%x0, %c0]
  %y1 = mul i64 %x1, 3
  br label %e
c2:
  %x2 = sub i64 %b, %a
  br label %e
c3:
  %x3 = xor i64 %b, %a
  br label %e
d:
  %x4 = or i64 %b, 1
  br label %e
e:
  %r = phi i64 [%y1, %c1], [%x2, %c2], [%x3, %c3], [%x4, %d]
  ret i64 %r
}
define void @switches(ptr addrspace(1) %out, ptr addrspace(1) %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %po = getelementptr i64, ptr addrspace(1) %out, i32 %t
  %pi = getelementptr {i64, i64}, ptr addrspace(1) %in, i32 %t
  %pj = getelementptr {i64, i64}, ptr addrspace(1) %in, i32 %t, i32 1
  %a = load i64, ptr addrspace(1) %pi
  %b = load i64, ptr addrspace(1) %pj
  %r = call i64 @switches_of(i64 %a, i64 %b)
  store i64 %r, ptr addrspace(1) %po
  ret void
}

define internal i64 @bytes_of(i64 %a, i64 %b) {
  %x = trunc i64 %a to i8
  %y = trunc i64 %b to i8
  %s = add i8 %x, %y
  %m = mul i8 %s, %x
  %d = ashr i8 %m, 2
  %c = icmp slt i8 %d, %y
  %z = select i1 %c, i8 %d, i8 %s
  %r = sext i8 %z to i64
  ret i64 %r
}
define void @bytes(ptr addrspace(1) %out, ptr addrspace(1) %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %po = getelementptr i64, ptr addrspace(1) %out, i32 %t
  %pi = getelementptr {i64, i64}, ptr addrspace(1) %in, i32 %t
  %pj = getelementptr {i64, i64}, ptr addrspace(1) %in, i32 %t, i32 1
  %a = load i64, ptr addrspace(1) %pi
  %b = load i64, ptr addrspace(1) %pj
  %r = call i64 @bytes_of(i64 %a, i64 %b)
  store i64 %r, ptr addrspace(1) %po
  ret void
}

define internal i64 @shorts_of(i64 %a, i64 %b) {
  %x = trunc i64 %a to i16
  %y0 = trunc i64 %b to i16
  %y = or i16 %y0, 1
  %y2 = and i16 %y, 32767
  %d = sdiv i16 %x, %y2
  %m = urem i16 %x, %y2
  %s = shl i16 %d, 3
  %t = xor i16 %s, %m
  %r = zext i16 %t to i64
  ret i64 %r
}
define void @shorts(ptr addrspace(1) %out, ptr addrspace(1) %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %po = getelementptr i64, ptr addrspace(1) %out, i32 %t
  %pi = getelementptr {i64, i64}, ptr addrspace(1) %in, i32 %t
  %pj = getelementptr {i64, i64}, ptr addrspace(1) %in, i32 %t, i32 1
  %a = load i64, ptr addrspace(1) %pi
  %b = load i64, ptr addrspace(1) %pj
  %r = call i64 @shorts_of(i64 %a, i64 %b)
  store i64 %r, ptr addrspace(1) %po
  ret void
}

define internal i64 @halves_of(i64 %a, i64 %b) {
  %x0 = trunc i64 %a to i16
  %y0 = trunc i64 %b to i16
  %x = bitcast i16 %x0 to half
  %y = bitcast i16 %y0 to half
  %s = fadd half %x, %y
  %m = fmul half %s, %y
  %d = fsub half %m, %x
  %c = fcmp olt half %d, %x
  %z = select i1 %c, half %d, half %s
  %w = fpext half %z to float
  %v = bitcast float %w to i32
  %r = zext i32 %v to i64
  ret i64 %r
}
define void @halves(ptr addrspace(1) %out, ptr addrspace(1) %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %po = getelementptr i64, ptr addrspace(1) %out, i32 %t
  %pi = getelementptr {i64, i64}, ptr addrspace(1) %in, i32 %t
  %pj = getelementptr {i64, i64}, ptr addrspace(1) %in, i32 %t, i32 1
  %a = load i64, ptr addrspace(1) %pi
  %b = load i64, ptr addrspace(1) %pj
  %r = call i64 @halves_of(i64 %a, i64 %b)
  store i64 %r, ptr addrspace(1) %po
  ret void
}

define internal i64 @half_pairs_of(i64 %a, i64 %b) {
  %x0 = trunc i64 %a to i32
  %y0 = trunc i64 %b to i32
  %x = bitcast i32 %x0 to <2 x half>
  %y = bitcast i32 %y0 to <2 x half>
  %s = fadd <2 x half> %x, %y
  %m = fmul <2 x half> %s, %x
  %p = extractelement <2 x half> %m, i32 0
  %q = extractelement <2 x half> %m, i32 1
  %pf = fpext half %p to float
  %qf = fpext half %q to float
  %t = fadd float %pf, %qf
  %v = bitcast float %t to i32
  %r = zext i32 %v to i64
  ret i64 %r
}
define void @half_pairs(ptr addrspace(1) %out, ptr addrspace(1) %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %po = getelementptr i64, ptr addrspace(1) %out, i32 %t
  %pi = getelementptr {i64, i64}, ptr addrspace(1) %in, i32 %t
  %pj = getelementptr {i64, i64}, ptr addrspace(1) %in, i32 %t, i32 1
  %a = load i64, ptr addrspace(1) %pi
  %b = load i64, ptr addrspace(1) %pj
  %r = call i64 @half_pairs_of(i64 %a, i64 %b)
  store i64 %r, ptr addrspace(1) %po
  ret void
}

define internal i64 @floats_of(i64 %a, i64 %b) {
  %x = sitofp i64 %a to float
  %y = uitofp i64 %b to float
  %m = fmul float %x, 3.5
  %s = fsub float %m, %y
  %d = fdiv float %s, 7.0
  %q = call float @llvm.fabs.f32(float %d)
  %w = call float @llvm.sqrt.f32(float %q)
  %c = fcmp ugt float %w, %x
  %z = select i1 %c, float %w, float %d
  %v = bitcast float %z to i32
  %r = zext i32 %v to i64
  ret i64 %r
}
define void @floats(ptr addrspace(1) %out, ptr addrspace(1) %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %po = getelementptr i64, ptr addrspace(1) %out, i32 %t
  %pi = getelementptr {i64, i64}, ptr addrspace(1) %in, i32 %t
  %pj = getelementptr {i64, i64}, ptr addrspace(1) %in, i32 %t, i32 1
  %a = load i64, ptr addrspace(1) %pi
  %b = load i64, ptr addrspace(1) %pj
  %r = call i64 @floats_of(i64 %a, i64 %b)
  store i64 %r, ptr addrspace(1) %po
  ret void
}

define internal i64 @doubles_of(i64 %a, i64 %b) {
  %x = bitcast i64 %a to double
  %y = bitcast i64 %b to double
  %s = fadd double %x, %y
  %f = call double @llvm.fma.f64(double %x, double %y, double %s)
  %d = fdiv double %f, 3.0
  %c = fcmp une double %d, %s
  %z = select i1 %c, double %d, double 1.0
  %u = fcmp uno double %z, 0.0
  %n = select i1 %u, double 42.0, double %z
  %r = bitcast double %n to i64
  ret i64 %r
}
define void @doubles(ptr addrspace(1) %out, ptr addrspace(1) %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %po = getelementptr i64, ptr addrspace(1) %out, i32 %t
  %pi = getelementptr {i64, i64}, ptr addrspace(1) %in, i32 %t
  %pj = getelementptr {i64, i64}, ptr addrspace(1) %in, i32 %t, i32 1
  %a = load i64, ptr addrspace(1) %pi
  %b = load i64, ptr addrspace(1) %pj
  %r = call i64 @doubles_of(i64 %a, i64 %b)
  store i64 %r, ptr addrspace(1) %po
  ret void
}

define internal i64 @vectors_of(i64 %a, i64 %b) {
  %v0 = insertelement <4 x i32> <i32 1, i32 2, i32 3, i32 4>, i32 77, i64 0
  %x = trunc i64 %a to i32
  %s = insertelement <4 x i32> poison, i32 %x, i64 0
  %sp = shufflevector <4 x i32> %s, <4 x i32> poison, <4 x i32> zeroinitializer
  %m = mul <4 x i32> %v0, %sp
  %k = and i64 %b, 3
  %e = extractelement <4 x i32> %m, i64 %k
  %i = insertelement <4 x i32> %m, i32 5, i64 %k
  %red = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %i)
  %t = xor i32 %e, %red
  %r = zext i32 %t to i64
  ret i64 %r
}
define void @vectors(ptr addrspace(1) %out, ptr addrspace(1) %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %po = getelementptr i64, ptr addrspace(1) %out, i32 %t
  %pi = getelementptr {i64, i64}, ptr addrspace(1) %in, i32 %t
  %pj = getelementptr {i64, i64}, ptr addrspace(1) %in, i32 %t, i32 1
  %a = load i64, ptr addrspace(1) %pi
  %b = load i64, ptr addrspace(1) %pj
  %r = call i64 @vectors_of(i64 %a, i64 %b)
  store i64 %r, ptr addrspace(1) %po
  ret void
}

define internal i64 @saturating_of(i64 %a, i64 %b) {
  %x = bitcast i64 %a to double
  %f = fptrunc double %x to float
  %p = call i32 @llvm.fptosi.sat.i32.f32(float %f)
  %q = call i8 @llvm.fptoui.sat.i8.f32(float %f)
  %s = call i64 @llvm.fptosi.sat.i64.f64(double %x)
  %t = call i16 @llvm.fptosi.sat.i16.f64(double %x)
  %p6 = sext i32 %p to i64
  %q6 = zext i8 %q to i64
  %t6 = sext i16 %t to i64
  %1 = mul i64 %p6, 3
  %2 = mul i64 %q6, 5
  %3 = mul i64 %t6, 7
  %4 = xor i64 %1, %2
  %5 = xor i64 %4, %3
  %r = xor i64 %5, %s
  ret i64 %r
}
define void @saturating(ptr addrspace(1) %out, ptr addrspace(1) %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %po = getelementptr i64, ptr addrspace(1) %out, i32 %t
  %pi = getelementptr {i64, i64}, ptr addrspace(1) %in, i32 %t
  %pj = getelementptr {i64, i64}, ptr addrspace(1) %in, i32 %t, i32 1
  %a = load i64, ptr addrspace(1) %pi
  %b = load i64, ptr addrspace(1) %pj
  %r = call i64 @saturating_of(i64 %a, i64 %b)
  store i64 %r, ptr addrspace(1) %po
  ret void
}

define internal i64 @roundings_of(i64 %a, i64 %b) {
  %x = bitcast i64 %a to double
  %f = fptrunc double %x to float
  %1 = call float @llvm.floor.f32(float %f)
  %2 = call float @llvm.ceil.f32(float %f)
  %3 = call float @llvm.trunc.f32(float %f)
  %4 = call float @llvm.rint.f32(float %f)
  %5 = call double @llvm.round.f64(double %x)
  %6 = call double @llvm.roundeven.f64(double %x)
  %7 = call double @llvm.nearbyint.f64(double %x)
  %8 = fmul float %2, 3.0
  %9 = fmul float %3, 5.0
  %10 = fmul float %4, 7.0
  %11 = fadd float %1, %8
  %12 = fadd float %11, %9
  %13 = fadd float %12, %10
  %14 = fpext float %13 to double
  %15 = fmul double %5, 11.0
  %16 = fmul double %6, 13.0
  %17 = fadd double %14, %15
  %18 = fadd double %17, %16
  %19 = fadd double %18, %7
  %r = bitcast double %19 to i64
  ret i64 %r
}
define void @roundings(ptr addrspace(1) %out, ptr addrspace(1) %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %po = getelementptr i64, ptr addrspace(1) %out, i32 %t
  %pi = getelementptr {i64, i64}, ptr addrspace(1) %in, i32 %t
  %pj = getelementptr {i64, i64}, ptr addrspace(1) %in, i32 %t, i32 1
  %a = load i64, ptr addrspace(1) %pi
  %b = load i64, ptr addrspace(1) %pj
  %r = call i64 @roundings_of(i64 %a, i64 %b)
  store i64 %r, ptr addrspace(1) %po
  ret void
}

define internal i64 @extremes_of(i64 %a, i64 %b) {
  %x0 = trunc i64 %a to i32
  %y0 = trunc i64 %b to i32
  %x = bitcast i32 %x0 to float
  %y = bitcast i32 %y0 to float
  %mn = call float @llvm.minnum.f32(float %x, float %y)
  %mx = call float @llvm.maxnum.f32(float %x, float %y)
  %c = call float @llvm.copysign.f32(float %mx, float %mn)
  %1 = bitcast float %mn to i32
  %2 = bitcast float %c to i32
  %3 = zext i32 %1 to i64
  %4 = zext i32 %2 to i64
  %5 = shl i64 %4, 32
  %r = or i64 %3, %5
  ret i64 %r
}
define void @extremes(ptr addrspace(1) %out, ptr addrspace(1) %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %po = getelementptr i64, ptr addrspace(1) %out, i32 %t
  %pi = getelementptr {i64, i64}, ptr addrspace(1) %in, i32 %t
  %pj = getelementptr {i64, i64}, ptr addrspace(1) %in, i32 %t, i32 1
  %a = load i64, ptr addrspace(1) %pi
  %b = load i64, ptr addrspace(1) %pj
  %r = call i64 @extremes_of(i64 %a, i64 %b)
  store i64 %r, ptr addrspace(1) %po
  ret void
}

define internal i64 @counts_of(i64 %a, i64 %b) {
  %t = trunc i64 %a to i32
  %1 = call i64 @llvm.ctpop.i64(i64 %a)
  %2 = call i32 @llvm.ctlz.i32(i32 %t, i1 false)
  %3 = call i64 @llvm.cttz.i64(i64 %a, i1 false)
  %s = trunc i64 %b to i16
  %4 = call i16 @llvm.ctpop.i16(i16 %s)
  %5 = call i8 @llvm.ctlz.i8(i8 5, i1 false)
  %6 = call i64 @llvm.ctlz.i64(i64 %b, i1 false)
  %z2 = zext i32 %2 to i64
  %z4 = zext i16 %4 to i64
  %7 = shl i64 %z2, 8
  %8 = shl i64 %3, 16
  %9 = shl i64 %z4, 24
  %10 = shl i64 %6, 32
  %11 = or i64 %1, %7
  %12 = or i64 %11, %8
  %13 = or i64 %12, %9
  %r = or i64 %13, %10
  ret i64 %r
}
define void @counts(ptr addrspace(1) %out, ptr addrspace(1) %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %po = getelementptr i64, ptr addrspace(1) %out, i32 %t
  %pi = getelementptr {i64, i64}, ptr addrspace(1) %in, i32 %t
  %pj = getelementptr {i64, i64}, ptr addrspace(1) %in, i32 %t, i32 1
  %a = load i64, ptr addrspace(1) %pi
  %b = load i64, ptr addrspace(1) %pj
  %r = call i64 @counts_of(i64 %a, i64 %b)
  store i64 %r, ptr addrspace(1) %po
  ret void
}

define internal i64 @reversals_of(i64 %a, i64 %b) {
  %t = trunc i64 %a to i32
  %s = trunc i64 %b to i16
  %1 = call i64 @llvm.bitreverse.i64(i64 %a)
  %2 = call i32 @llvm.bitreverse.i32(i32 %t)
  %3 = call i64 @llvm.bswap.i64(i64 %b)
  %4 = call i32 @llvm.bswap.i32(i32 %t)
  %5 = call i16 @llvm.bswap.i16(i16 %s)
  %z2 = zext i32 %2 to i64
  %z4 = zext i32 %4 to i64
  %z5 = zext i16 %5 to i64
  %6 = xor i64 %1, %z2
  %7 = add i64 %6, %3
  %8 = xor i64 %7, %z4
  %r = add i64 %8, %z5
  ret i64 %r
}
define void @reversals(ptr addrspace(1) %out, ptr addrspace(1) %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %po = getelementptr i64, ptr addrspace(1) %out, i32 %t
  %pi = getelementptr {i64, i64}, ptr addrspace(1) %in, i32 %t
  %pj = getelementptr {i64, i64}, ptr addrspace(1) %in, i32 %t, i32 1
  %a = load i64, ptr addrspace(1) %pi
  %b = load i64, ptr addrspace(1) %pj
  %r = call i64 @reversals_of(i64 %a, i64 %b)
  store i64 %r, ptr addrspace(1) %po
  ret void
}

define internal i64 @funnels_of(i64 %a, i64 %b) {
  %n = and i64 %b, 255
  %t = trunc i64 %a to i32
  %u = trunc i64 %b to i32
  %1 = call i64 @llvm.fshl.i64(i64 %a, i64 %b, i64 %n)
  %2 = call i32 @llvm.fshr.i32(i32 %t, i32 %u, i32 %u)
  %3 = call i32 @llvm.fshl.i32(i32 %t, i32 %t, i32 9)
  %z2 = zext i32 %2 to i64
  %z3 = zext i32 %3 to i64
  %4 = xor i64 %1, %z2
  %r = add i64 %4, %z3
  ret i64 %r
}
define void @funnels(ptr addrspace(1) %out, ptr addrspace(1) %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %po = getelementptr i64, ptr addrspace(1) %out, i32 %t
  %pi = getelementptr {i64, i64}, ptr addrspace(1) %in, i32 %t
  %pj = getelementptr {i64, i64}, ptr addrspace(1) %in, i32 %t, i32 1
  %a = load i64, ptr addrspace(1) %pi
  %b = load i64, ptr addrspace(1) %pj
  %r = call i64 @funnels_of(i64 %a, i64 %b)
  store i64 %r, ptr addrspace(1) %po
  ret void
}

define internal i64 @overflows_of(i64 %a, i64 %b) {
  %t = trunc i64 %a to i32
  %u = trunc i64 %b to i32
  %p = call {i64, i1} @llvm.umul.with.overflow.i64(i64 %a, i64 %b)
  %q = call {i32, i1} @llvm.sadd.with.overflow.i32(i32 %t, i32 %u)
  %v = extractvalue {i64, i1} %p, 0
  %o = extractvalue {i64, i1} %p, 1
  %w = extractvalue {i32, i1} %q, 0
  %x = extractvalue {i32, i1} %q, 1
  %y = call i32 @llvm.uadd.sat.i32(i32 %t, i32 %u)
  %z = call i32 @llvm.ssub.sat.i32(i32 %t, i32 %u)
  %o6 = zext i1 %o to i64
  %x6 = zext i1 %x to i64
  %w6 = zext i32 %w to i64
  %y6 = zext i32 %y to i64
  %z6 = zext i32 %z to i64
  %1 = add i64 %v, %w6
  %2 = xor i64 %1, %y6
  %3 = add i64 %2, %z6
  %4 = shl i64 %o6, 63
  %5 = shl i64 %x6, 62
  %6 = xor i64 %3, %4
  %r = xor i64 %6, %5
  ret i64 %r
}
define void @overflows(ptr addrspace(1) %out, ptr addrspace(1) %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %po = getelementptr i64, ptr addrspace(1) %out, i32 %t
  %pi = getelementptr {i64, i64}, ptr addrspace(1) %in, i32 %t
  %pj = getelementptr {i64, i64}, ptr addrspace(1) %in, i32 %t, i32 1
  %a = load i64, ptr addrspace(1) %pi
  %b = load i64, ptr addrspace(1) %pj
  %r = call i64 @overflows_of(i64 %a, i64 %b)
  store i64 %r, ptr addrspace(1) %po
  ret void
}

define internal i64 @divisions_of(i64 %a, i64 %b) {
  %d = or i64 %b, 1
  %1 = udiv i64 %a, %d
  %2 = urem i64 %a, %d
  %t = trunc i64 %a to i32
  %e = trunc i64 %d to i32
  %f = and i32 %e, 65535
  %3 = sdiv i32 %t, %f
  %4 = srem i32 %t, 10
  %5 = sext i32 %3 to i64
  %6 = sext i32 %4 to i64
  %7 = xor i64 %1, %2
  %8 = add i64 %7, %5
  %r = xor i64 %8, %6
  ret i64 %r
}
define void @divisions(ptr addrspace(1) %out, ptr addrspace(1) %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %po = getelementptr i64, ptr addrspace(1) %out, i32 %t
  %pi = getelementptr {i64, i64}, ptr addrspace(1) %in, i32 %t
  %pj = getelementptr {i64, i64}, ptr addrspace(1) %in, i32 %t, i32 1
  %a = load i64, ptr addrspace(1) %pi
  %b = load i64, ptr addrspace(1) %pj
  %r = call i64 @divisions_of(i64 %a, i64 %b)
  store i64 %r, ptr addrspace(1) %po
  ret void
}

define internal i64 @products_of(i64 %a, i64 %b) {
  %x = zext i64 %a to i128
  %y = sext i64 %b to i128
  %m = mul i128 %x, %y
  %s = add i128 %m, 12345678901234567890123
  %h = lshr i128 %s, 64
  %1 = trunc i128 %h to i64
  %2 = trunc i128 %s to i64
  %r = xor i64 %1, %2
  ret i64 %r
}
define void @products(ptr addrspace(1) %out, ptr addrspace(1) %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %po = getelementptr i64, ptr addrspace(1) %out, i32 %t
  %pi = getelementptr {i64, i64}, ptr addrspace(1) %in, i32 %t
  %pj = getelementptr {i64, i64}, ptr addrspace(1) %in, i32 %t, i32 1
  %a = load i64, ptr addrspace(1) %pi
  %b = load i64, ptr addrspace(1) %pj
  %r = call i64 @products_of(i64 %a, i64 %b)
  store i64 %r, ptr addrspace(1) %po
  ret void
}

define internal i64 @sorts_of(i64 %a, i64 %b) {
  %m = alloca [8 x i8], align 8
  store i64 %a, ptr %m, align 8
  br label %outer
outer:
  %i = phi i32 [1, %0], [%i2, %next]
  %pi = getelementptr i8, ptr %m, i32 %i
  %v = load i8, ptr %pi
  br label %inner
inner:
  %j = phi i32 [%i, %outer], [%j2, %move]
  %atend = icmp eq i32 %j, 0
  br i1 %atend, label %next, label %test
test:
  %j2 = sub i32 %j, 1
  %pj = getelementptr i8, ptr %m, i32 %j2
  %u = load i8, ptr %pj
  %gt = icmp ugt i8 %u, %v
  br i1 %gt, label %move, label %next
move:
  %pk = getelementptr i8, ptr %m, i32 %j
  store i8 %u, ptr %pk
  br label %inner
next:
  %pl = getelementptr i8, ptr %m, i32 %j
  store i8 %v, ptr %pl
  %i2 = add i32 %i, 1
  %more = icmp ult i32 %i2, 8
  br i1 %more, label %outer, label %end
end:
  %r = load i64, ptr %m, align 8
  ret i64 %r
}
define void @sorts(ptr addrspace(1) %out, ptr addrspace(1) %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %po = getelementptr i64, ptr addrspace(1) %out, i32 %t
  %pi = getelementptr {i64, i64}, ptr addrspace(1) %in, i32 %t
  %pj = getelementptr {i64, i64}, ptr addrspace(1) %in, i32 %t, i32 1
  %a = load i64, ptr addrspace(1) %pi
  %b = load i64, ptr addrspace(1) %pj
  %r = call i64 @sorts_of(i64 %a, i64 %b)
  store i64 %r, ptr addrspace(1) %po
  ret void
}

define internal i64 @divisors_of(i64 %a, i64 %b) {
  %x0 = and i64 %a, 65535
  %y0 = and i64 %b, 4095
  br label %test
test:
  %x = phi i64 [%x0, %0], [%y, %loop]
  %y = phi i64 [%y0, %0], [%m, %loop]
  %z = icmp eq i64 %y, 0
  br i1 %z, label %end, label %loop
loop:
  %m = urem i64 %x, %y
  br label %test
end:
  ret i64 %x
}
define void @divisors(ptr addrspace(1) %out, ptr addrspace(1) %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %po = getelementptr i64, ptr addrspace(1) %out, i32 %t
  %pi = getelementptr {i64, i64}, ptr addrspace(1) %in, i32 %t
  %pj = getelementptr {i64, i64}, ptr addrspace(1) %in, i32 %t, i32 1
  %a = load i64, ptr addrspace(1) %pi
  %b = load i64, ptr addrspace(1) %pj
  %r = call i64 @divisors_of(i64 %a, i64 %b)
  store i64 %r, ptr addrspace(1) %po
  ret void
}

define internal i64 @chains_of(i64 %a, i64 %b) {
  %x0 = and i64 %a, 1023
  %x1 = or i64 %x0, 1
  br label %test
test:
  %x = phi i64 [%x1, %0], [%n, %merge]
  %k = phi i64 [0, %0], [%k2, %merge]
  %one = icmp eq i64 %x, 1
  br i1 %one, label %end, label %step
step:
  %odd = trunc i64 %x to i1
  br i1 %odd, label %up, label %down
up:
  %m = mul i64 %x, 3
  %u = add i64 %m, 1
  br label %merge
down:
  %d = lshr i64 %x, 1
  br label %merge
merge:
  %n = phi i64 [%u, %up], [%d, %down]
  %k2 = add i64 %k, 1
  br label %test
end:
  ret i64 %k
}
define void @chains(ptr addrspace(1) %out, ptr addrspace(1) %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %po = getelementptr i64, ptr addrspace(1) %out, i32 %t
  %pi = getelementptr {i64, i64}, ptr addrspace(1) %in, i32 %t
  %pj = getelementptr {i64, i64}, ptr addrspace(1) %in, i32 %t, i32 1
  %a = load i64, ptr addrspace(1) %pi
  %b = load i64, ptr addrspace(1) %pj
  %r = call i64 @chains_of(i64 %a, i64 %b)
  store i64 %r, ptr addrspace(1) %po
  ret void
}

define internal i64 @tables_of(i64 %a, i64 %b) {
  %k = and i64 %a, 7
  %p = getelementptr [8 x i16], ptr addrspace(1) @squares, i64 0, i64 %k
  %v = load i16, ptr addrspace(1) %p
  %k2 = and i64 %b, 3
  %q = getelementptr [4 x ptr], ptr addrspace(1) @pointers, i64 0, i64 %k2
  %w = load ptr, ptr addrspace(1) %q
  %x = load i32, ptr %w
  %v6 = sext i16 %v to i64
  %x6 = zext i32 %x to i64
  %y = shl i64 %x6, 32
  %r = add i64 %y, %v6
  ret i64 %r
}
define void @tables(ptr addrspace(1) %out, ptr addrspace(1) %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %po = getelementptr i64, ptr addrspace(1) %out, i32 %t
  %pi = getelementptr {i64, i64}, ptr addrspace(1) %in, i32 %t
  %pj = getelementptr {i64, i64}, ptr addrspace(1) %in, i32 %t, i32 1
  %a = load i64, ptr addrspace(1) %pi
  %b = load i64, ptr addrspace(1) %pj
  %r = call i64 @tables_of(i64 %a, i64 %b)
  store i64 %r, ptr addrspace(1) %po
  ret void
}

define internal i64 @conversions_of(i64 %a, i64 %b) {
  %1 = uitofp i64 %a to float
  %2 = sitofp i64 %b to double
  %3 = fptrunc double %2 to float
  %4 = fptrunc float %1 to half
  %5 = fpext half %4 to float
  %t = trunc i64 %a to i8
  %6 = sitofp i8 %t to float
  %7 = uitofp i8 %t to half
  %8 = fpext half %7 to float
  %9 = fmul float %6, %8
  %b1 = bitcast float %1 to i32
  %b3 = bitcast float %3 to i32
  %b5 = bitcast float %5 to i32
  %b9 = bitcast float %9 to i32
  %x1 = xor i32 %b1, %b3
  %x2 = add i32 %x1, %b5
  %x3 = xor i32 %x2, %b9
  %r = zext i32 %x3 to i64
  ret i64 %r
}
define void @conversions(ptr addrspace(1) %out, ptr addrspace(1) %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %po = getelementptr i64, ptr addrspace(1) %out, i32 %t
  %pi = getelementptr {i64, i64}, ptr addrspace(1) %in, i32 %t
  %pj = getelementptr {i64, i64}, ptr addrspace(1) %in, i32 %t, i32 1
  %a = load i64, ptr addrspace(1) %pi
  %b = load i64, ptr addrspace(1) %pj
  %r = call i64 @conversions_of(i64 %a, i64 %b)
  store i64 %r, ptr addrspace(1) %po
  ret void
}

define internal i64 @integer_extremes_of(i64 %a, i64 %b) {
  %t = trunc i64 %a to i32
  %u = trunc i64 %b to i32
  %1 = call i64 @llvm.abs.i64(i64 %a, i1 false)
  %2 = call i32 @llvm.smin.i32(i32 %t, i32 %u)
  %3 = call i64 @llvm.umax.i64(i64 %a, i64 %b)
  %s = trunc i64 %a to i16
  %v = trunc i64 %b to i16
  %4 = call i16 @llvm.smax.i16(i16 %s, i16 %v)
  %5 = sext i32 %2 to i64
  %6 = sext i16 %4 to i64
  %7 = xor i64 %1, %5
  %8 = add i64 %7, %3
  %r = xor i64 %8, %6
  ret i64 %r
}
define void @integer_extremes(ptr addrspace(1) %out, ptr addrspace(1) %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %po = getelementptr i64, ptr addrspace(1) %out, i32 %t
  %pi = getelementptr {i64, i64}, ptr addrspace(1) %in, i32 %t
  %pj = getelementptr {i64, i64}, ptr addrspace(1) %in, i32 %t, i32 1
  %a = load i64, ptr addrspace(1) %pi
  %b = load i64, ptr addrspace(1) %pj
  %r = call i64 @integer_extremes_of(i64 %a, i64 %b)
  store i64 %r, ptr addrspace(1) %po
  ret void
}

!nvvm.annotations = !{!0, !1, !2, !3, !4, !5, !6, !7, !8, !9, !10, !11, !12, !13, !14, !15, !16, !17, !18, !19, !20, !21, !22, !23}
!0 = !{ptr @sum_loop, !"kernel", i32 1}
!1 = !{ptr @switches, !"kernel", i32 1}
!2 = !{ptr @bytes, !"kernel", i32 1}
!3 = !{ptr @shorts, !"kernel", i32 1}
!4 = !{ptr @halves, !"kernel", i32 1}
!5 = !{ptr @half_pairs, !"kernel", i32 1}
!6 = !{ptr @floats, !"kernel", i32 1}
!7 = !{ptr @doubles, !"kernel", i32 1}
!8 = !{ptr @vectors, !"kernel", i32 1}
!9 = !{ptr @saturating, !"kernel", i32 1}
!10 = !{ptr @roundings, !"kernel", i32 1}
!11 = !{ptr @extremes, !"kernel", i32 1}
!12 = !{ptr @counts, !"kernel", i32 1}
!13 = !{ptr @reversals, !"kernel", i32 1}
!14 = !{ptr @funnels, !"kernel", i32 1}
!15 = !{ptr @overflows, !"kernel", i32 1}
!16 = !{ptr @divisions, !"kernel", i32 1}
!17 = !{ptr @products, !"kernel", i32 1}
!18 = !{ptr @sorts, !"kernel", i32 1}
!19 = !{ptr @divisors, !"kernel", i32 1}
!20 = !{ptr @chains, !"kernel", i32 1}
!21 = !{ptr @tables, !"kernel", i32 1}
!22 = !{ptr @conversions, !"kernel", i32 1}
!23 = !{ptr @integer_extremes, !"kernel", i32 1}
