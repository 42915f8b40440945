; Made of check_library.c by tools/make_check_library.py.

%struct.bsgp_gpu_memory = type { i64, i64, i64, i64, i64, i64, i64, i64 }
%struct.bsgp_gpu_check = type { i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64 }
%struct.bsgp_gpu_finding = type { i64, i64, i64, i64, [3 x i64] }

define ptr addrspace(1) @bsgp_gpu_check_find(ptr addrspace(1) %check, i64 %base) {
entry:
  %memories = getelementptr inbounds %struct.bsgp_gpu_check, ptr addrspace(1) %check, i64 0, i32 0
  %0 = load i64, ptr addrspace(1) %memories, align 8
  %1 = inttoptr i64 %0 to ptr addrspace(1)
  %memory_count = getelementptr inbounds %struct.bsgp_gpu_check, ptr addrspace(1) %check, i64 0, i32 1
  %2 = load i64, ptr addrspace(1) %memory_count, align 8
  %cmp23.not = icmp eq i64 %2, 0
  br i1 %cmp23.not, label %while.end, label %while.body

while.body:
  %low.025 = phi i64 [ %low.1, %while.body ], [ 0, %entry ]
  %high.024 = phi i64 [ %high.1, %while.body ], [ %2, %entry ]
  %add = add i64 %low.025, %high.024
  %div = lshr i64 %add, 1
  %begin = getelementptr inbounds %struct.bsgp_gpu_memory, ptr addrspace(1) %1, i64 %div, i32 0
  %3 = load i64, ptr addrspace(1) %begin, align 8
  %cmp1.not = icmp ugt i64 %3, %base
  %add2 = add nuw i64 %div, 1
  %high.1 = select i1 %cmp1.not, i64 %div, i64 %high.024
  %low.1 = select i1 %cmp1.not, i64 %low.025, i64 %add2
  %cmp = icmp ult i64 %low.1, %high.1
  br i1 %cmp, label %while.body, label %while.end

while.end:
  %low.0.lcssa = phi i64 [ 0, %entry ], [ %low.1, %while.body ]
  %cmp3 = icmp eq i64 %low.0.lcssa, 0
  br i1 %cmp3, label %cond.end, label %lor.lhs.false

lor.lhs.false:
  %sub = add i64 %low.0.lcssa, -1
  %end = getelementptr inbounds %struct.bsgp_gpu_memory, ptr addrspace(1) %1, i64 %sub, i32 1
  %4 = load i64, ptr addrspace(1) %end, align 8
  %cmp5.not = icmp ugt i64 %4, %base
  %arrayidx4 = getelementptr inbounds %struct.bsgp_gpu_memory, ptr addrspace(1) %1, i64 %sub
  %spec.select = select i1 %cmp5.not, ptr addrspace(1) %arrayidx4, ptr addrspace(1) null
  br label %cond.end

cond.end:
  %cond = phi ptr addrspace(1) [ null, %while.end ], [ %spec.select, %lor.lhs.false ]
  ret ptr addrspace(1) %cond
}

define void @bsgp_gpu_check_tell(ptr addrspace(1) %check, i64 %what, i64 %rank, i64 %a, i64 %b, i64 %word, i64 %others, i64 %reads) {
entry:
  %capacity = getelementptr inbounds %struct.bsgp_gpu_check, ptr addrspace(1) %check, i64 0, i32 3
  %0 = load i64, ptr addrspace(1) %capacity, align 8
  %cmp = icmp eq i64 %0, 0
  br i1 %cmp, label %cleanup.cont32, label %if.end

if.end:
  %and = and i64 %what, 4294967295
  %counts = getelementptr inbounds %struct.bsgp_gpu_check, ptr addrspace(1) %check, i64 0, i32 8
  %1 = load i64, ptr addrspace(1) %counts, align 8
  %2 = inttoptr i64 %1 to ptr addrspace(1)
  %add.ptr = getelementptr inbounds i32, ptr addrspace(1) %2, i64 %and
  %3 = atomicrmw add ptr addrspace(1) %add.ptr, i32 1 monotonic, align 4
  %conv = zext i32 %3 to i64
  %any = getelementptr inbounds %struct.bsgp_gpu_check, ptr addrspace(1) %check, i64 0, i32 4
  store i64 1, ptr addrspace(1) %any, align 8
  %mul = shl nuw nsw i64 %and, 4
  %add = add nuw nsw i64 %mul, %conv
  %most_of_site = getelementptr inbounds %struct.bsgp_gpu_check, ptr addrspace(1) %check, i64 0, i32 9
  %4 = load i64, ptr addrspace(1) %most_of_site, align 8
  %cmp1.not = icmp ugt i64 %4, %conv
  br i1 %cmp1.not, label %if.end4, label %if.then3

if.then3:
  %lost = getelementptr inbounds %struct.bsgp_gpu_check, ptr addrspace(1) %check, i64 0, i32 6
  %5 = atomicrmw add ptr addrspace(1) %lost, i64 1 monotonic, align 8
  br label %cleanup.cont32

if.end4:
  %cmp5 = icmp ugt i32 %3, 15
  br i1 %cmp5, label %if.then7, label %if.end18

if.then7:
  %found = getelementptr inbounds %struct.bsgp_gpu_check, ptr addrspace(1) %check, i64 0, i32 5
  %6 = atomicrmw add ptr addrspace(1) %found, i64 1 monotonic, align 8
  %7 = load i64, ptr addrspace(1) %capacity, align 8
  %cmp11.not = icmp ult i64 %6, %7
  br i1 %cmp11.not, label %if.end15, label %if.then13

if.then13:
  %lost14 = getelementptr inbounds %struct.bsgp_gpu_check, ptr addrspace(1) %check, i64 0, i32 6
  %8 = atomicrmw add ptr addrspace(1) %lost14, i64 1 monotonic, align 8
  br label %cleanup

if.end15:
  %site_count = getelementptr inbounds %struct.bsgp_gpu_check, ptr addrspace(1) %check, i64 0, i32 10
  %9 = load i64, ptr addrspace(1) %site_count, align 8
  %mul16 = shl i64 %9, 4
  %add17 = add i64 %mul16, %6
  br label %cleanup

cleanup:
  %at.0 = phi i64 [ %add, %if.then13 ], [ %add17, %if.end15 ]
  br i1 %cmp11.not, label %if.end18, label %cleanup.cont32

if.end18:
  %at.1 = phi i64 [ %at.0, %cleanup ], [ %add, %if.end4 ]
  %findings = getelementptr inbounds %struct.bsgp_gpu_check, ptr addrspace(1) %check, i64 0, i32 2
  %10 = load i64, ptr addrspace(1) %findings, align 8
  %11 = inttoptr i64 %10 to ptr addrspace(1)
  %what20 = getelementptr inbounds %struct.bsgp_gpu_finding, ptr addrspace(1) %11, i64 %at.1, i32 0
  store i64 %what, ptr addrspace(1) %what20, align 8
  %rank21 = getelementptr inbounds %struct.bsgp_gpu_finding, ptr addrspace(1) %11, i64 %at.1, i32 1
  store i64 %rank, ptr addrspace(1) %rank21, align 8
  %a22 = getelementptr inbounds %struct.bsgp_gpu_finding, ptr addrspace(1) %11, i64 %at.1, i32 2
  store i64 %a, ptr addrspace(1) %a22, align 8
  %b23 = getelementptr inbounds %struct.bsgp_gpu_finding, ptr addrspace(1) %11, i64 %at.1, i32 3
  store i64 %b, ptr addrspace(1) %b23, align 8
  %arrayidx = getelementptr inbounds %struct.bsgp_gpu_finding, ptr addrspace(1) %11, i64 %at.1, i32 4, i64 0
  store i64 %word, ptr addrspace(1) %arrayidx, align 8
  %arrayidx25 = getelementptr inbounds %struct.bsgp_gpu_finding, ptr addrspace(1) %11, i64 %at.1, i32 4, i64 1
  store i64 %others, ptr addrspace(1) %arrayidx25, align 8
  %arrayidx27 = getelementptr inbounds %struct.bsgp_gpu_finding, ptr addrspace(1) %11, i64 %at.1, i32 4, i64 2
  store i64 %reads, ptr addrspace(1) %arrayidx27, align 8
  br label %cleanup.cont32

cleanup.cont32:
  ret void
}

define void @bsgp_gpu_check_remember(ptr addrspace(1) %check, ptr addrspace(1) %memory, i64 %granule, i64 %old, i64 %mine, i32 %step) {
entry:
  %entries1 = getelementptr inbounds %struct.bsgp_gpu_memory, ptr addrspace(1) %memory, i64 0, i32 5
  %0 = load i64, ptr addrspace(1) %entries1, align 8
  %1 = inttoptr i64 %0 to ptr addrspace(1)
  %granules = getelementptr inbounds %struct.bsgp_gpu_memory, ptr addrspace(1) %memory, i64 0, i32 6
  %2 = load i64, ptr addrspace(1) %granules, align 8
  %add.ptr = getelementptr inbounds i64, ptr addrspace(1) %1, i64 %2
  %add.ptr2 = getelementptr inbounds i64, ptr addrspace(1) %add.ptr, i64 %granule
  %and = and i32 %step, 768
  %tobool.not = icmp eq i32 %and, 0
  br i1 %tobool.not, label %if.end, label %if.then

if.then:
  %mul = shl i64 %2, 1
  %add.ptr4 = getelementptr inbounds i64, ptr addrspace(1) %1, i64 %mul
  %add.ptr5 = getelementptr inbounds i64, ptr addrspace(1) %add.ptr4, i64 %granule
  %and6 = and i32 %step, 256
  %tobool7.not = icmp eq i32 %and6, 0
  %cond = select i1 %tobool7.not, i64 %old, i64 %mine
  store volatile i64 %cond, ptr addrspace(1) %add.ptr5, align 8
  br label %if.end

if.end:
  %and8 = and i32 %step, 128
  %tobool9.not = icmp eq i32 %and8, 0
  br i1 %tobool9.not, label %if.end11, label %if.then10

if.then10:
  store volatile i64 %mine, ptr addrspace(1) %add.ptr2, align 8
  br label %if.end11

if.end11:
  %and12 = and i32 %step, 1024
  %tobool13.not = icmp eq i32 %and12, 0
  br i1 %tobool13.not, label %cleanup, label %if.end15

if.end15:
  %3 = load volatile i64, ptr addrspace(1) %add.ptr2, align 8
  %and16 = and i32 %step, 2048
  %tobool17.not = icmp eq i32 %and16, 0
  br i1 %tobool17.not, label %if.then22, label %land.lhs.true

land.lhs.true:
  %shr = lshr i64 %3, 50
  %epoch = getelementptr inbounds %struct.bsgp_gpu_check, ptr addrspace(1) %check, i64 0, i32 14
  %4 = load i64, ptr addrspace(1) %epoch, align 8
  %cmp = icmp eq i64 %shr, %4
  br i1 %cmp, label %land.rhs, label %if.then22

land.rhs:
  %rank_bits.i = getelementptr inbounds %struct.bsgp_gpu_check, ptr addrspace(1) %check, i64 0, i32 15
  %5 = load i64, ptr addrspace(1) %rank_bits.i, align 8
  %notmask.i = shl nsw i64 -1, %5
  %sub.i = xor i64 %notmask.i, -1
  %and.i = and i64 %3, %sub.i
  %and.i52 = and i64 %sub.i, %mine
  %block.i = getelementptr inbounds %struct.bsgp_gpu_check, ptr addrspace(1) %check, i64 0, i32 21
  %6 = load i64, ptr addrspace(1) %block.i, align 8
  %div.i = udiv i64 %and.i, %6
  %div2.i = udiv i64 %and.i52, %6
  %cmp.i.not = icmp eq i64 %div.i, %div2.i
  br i1 %cmp.i.not, label %if.then22, label %cleanup

if.then22:
  store volatile i64 %old, ptr addrspace(1) %add.ptr2, align 8
  br label %cleanup

cleanup:
  ret void
}

define void @bsgp_gpu_check_race(ptr addrspace(1) %check, ptr addrspace(1) %memory, i64 %granule, i64 %rank, i32 %site, i64 %facts) {
entry:
  %entries1 = getelementptr inbounds %struct.bsgp_gpu_memory, ptr addrspace(1) %memory, i64 0, i32 5
  %0 = load i64, ptr addrspace(1) %entries1, align 8
  %1 = inttoptr i64 %0 to ptr addrspace(1)
  %add.ptr = getelementptr inbounds i64, ptr addrspace(1) %1, i64 %granule
  %2 = load volatile i64, ptr addrspace(1) %add.ptr, align 8
  %epoch = getelementptr inbounds %struct.bsgp_gpu_check, ptr addrspace(1) %check, i64 0, i32 14
  %rank_bits.i = getelementptr inbounds %struct.bsgp_gpu_check, ptr addrspace(1) %check, i64 0, i32 15
  %block.i = getelementptr inbounds %struct.bsgp_gpu_check, ptr addrspace(1) %check, i64 0, i32 21
  %steps.i = getelementptr inbounds %struct.bsgp_gpu_check, ptr addrspace(1) %check, i64 0, i32 13
  %shr.i = lshr i64 %facts, 35
  %and.i130 = and i64 %shr.i, 3
  %3 = and i64 %facts, 274877906944
  %tobool14 = icmp ne i64 %3, 0
  %add2.i134 = or i64 %and.i130, 4
  %conv.i136 = zext i32 %site to i64
  %add.i137 = add nuw nsw i64 %conv.i136, 1
  %rank_bits.i138 = getelementptr inbounds %struct.bsgp_gpu_check, ptr addrspace(1) %check, i64 0, i32 15
  %4 = and i64 %facts, 549755813888
  %tobool47.not = icmp ne i64 %4, 0
  %unjudged = getelementptr inbounds %struct.bsgp_gpu_check, ptr addrspace(1) %check, i64 0, i32 7
  %or55 = or i64 %conv.i136, 12884901888
  %begin = getelementptr inbounds %struct.bsgp_gpu_memory, ptr addrspace(1) %memory, i64 0, i32 0
  %shift = getelementptr inbounds %struct.bsgp_gpu_memory, ptr addrspace(1) %memory, i64 0, i32 7
  %granules = getelementptr inbounds %struct.bsgp_gpu_memory, ptr addrspace(1) %memory, i64 0, i32 6
  br label %for.cond

for.cond:
  %old.0 = phi i64 [ %2, %entry ], [ %old.2, %cleanup67 ]
  %shr = lshr i64 %old.0, 50
  %5 = load i64, ptr addrspace(1) %epoch, align 8
  %cmp = icmp eq i64 %shr, %5
  %shr2 = lshr i64 %old.0, 45
  %and = and i64 %shr2, 31
  %cond = select i1 %cmp, i64 %and, i64 0
  switch i64 %cond, label %land.rhs [
    i64 31, label %cleanup67
    i64 0, label %land.end
  ]

land.rhs:
  %6 = load i64, ptr addrspace(1) %rank_bits.i, align 8
  %notmask.i = shl nsw i64 -1, %6
  %sub.i = xor i64 %notmask.i, -1
  %and.i = and i64 %old.0, %sub.i
  %7 = load i64, ptr addrspace(1) %block.i, align 8
  %div.i = udiv i64 %and.i, %7
  %div2.i = udiv i64 %rank, %7
  %cmp.i = icmp eq i64 %div.i, %div2.i
  br label %land.end

land.end:
  %8 = phi i1 [ %cmp.i, %land.rhs ], [ false, %for.cond ]
  %9 = load i64, ptr addrspace(1) %steps.i, align 8
  %10 = inttoptr i64 %9 to ptr addrspace(1)
  %mul.i = shl nuw nsw i64 %cond, 3
  %mul1.i = select i1 %8, i64 4, i64 0
  %add.i = or i64 %mul1.i, %mul.i
  %add2.i = or i64 %add.i, %and.i130
  %arrayidx.i = getelementptr inbounds i32, ptr addrspace(1) %10, i64 %add2.i
  %11 = load i32, ptr addrspace(1) %arrayidx.i, align 4
  %and7 = and i32 %11, 31
  %cmp8 = icmp eq i32 %and7, 31
  %12 = and i1 %tobool14, %cmp8
  br i1 %12, label %if.then18, label %if.end20

if.then18:
  %arrayidx.i135 = getelementptr inbounds i32, ptr addrspace(1) %10, i64 %add2.i134
  %13 = load i32, ptr addrspace(1) %arrayidx.i135, align 4
  br label %if.end20

if.end20:
  %step.0 = phi i32 [ %13, %if.then18 ], [ %11, %land.end ]
  %and21 = and i32 %step.0, 31
  %conv22 = zext i32 %and21 to i64
  %14 = load i64, ptr addrspace(1) %rank_bits.i138, align 8
  %sub.i139 = sub i64 45, %14
  %shr.i140 = lshr i64 %add.i137, %sub.i139
  %tobool.not.i = icmp eq i64 %shr.i140, 0
  %cond.i = select i1 %tobool.not.i, i64 %add.i137, i64 0
  %shl.i = shl i64 %5, 50
  %shl1.i = shl nuw nsw i64 %conv22, 45
  %shl2.i = shl i64 %cond.i, %14
  %or.i = or i64 %shl.i, %rank
  %or3.i = or i64 %or.i, %shl1.i
  %or4.i = or i64 %or3.i, %shl2.i
  %and25 = and i64 %old.0, -1090715534753793
  %or = or i64 %shl1.i, %and25
  %and28 = and i32 %step.0, 64
  %tobool29.not = icmp eq i32 %and28, 0
  %cond33 = select i1 %tobool29.not, i64 %or, i64 %or4.i
  %and34 = and i32 %step.0, 1920
  %tobool35.not = icmp eq i32 %and34, 0
  br i1 %tobool35.not, label %if.end37, label %if.then36

if.then36:
  call void @bsgp_gpu_check_remember(ptr addrspace(1) %check, ptr addrspace(1) %memory, i64 %granule, i64 %old.0, i64 %or4.i, i32 %step.0)
  br label %if.end37

if.end37:
  %cmp38.not = icmp eq i64 %cond33, %old.0
  br i1 %cmp38.not, label %if.end42, label %land.lhs.true

land.lhs.true:
  %15 = cmpxchg ptr addrspace(1) %add.ptr, i64 %old.0, i64 %cond33 monotonic monotonic, align 8
  %16 = extractvalue { i64, i1 } %15, 1
  %17 = extractvalue { i64, i1 } %15, 0
  br i1 %16, label %if.end42, label %cleanup67

if.end42:
  %18 = and i1 %tobool47.not, %12
  br i1 %18, label %if.then48, label %if.end49

if.then48:
  %19 = atomicrmw add ptr addrspace(1) %unjudged, i64 1 monotonic, align 8
  br label %if.end49

if.end49:
  %tobool50 = xor i1 %cmp8, true
  %or.cond = or i1 %tobool14, %tobool50
  br i1 %or.cond, label %cleanup67, label %if.then53

if.then53:
  %20 = load i64, ptr addrspace(1) %begin, align 8
  %21 = load i64, ptr addrspace(1) %shift, align 8
  %shl56 = shl i64 %granule, %21
  %add = add i64 %shl56, %20
  %22 = load i64, ptr addrspace(1) %granules, align 8
  %arrayidx = getelementptr inbounds i64, ptr addrspace(1) %add.ptr, i64 %22
  %23 = load i64, ptr addrspace(1) %arrayidx, align 8
  %mul = shl i64 %22, 1
  %arrayidx58 = getelementptr inbounds i64, ptr addrspace(1) %add.ptr, i64 %mul
  %24 = load i64, ptr addrspace(1) %arrayidx58, align 8
  call void @bsgp_gpu_check_tell(ptr addrspace(1) %check, i64 %or55, i64 %rank, i64 %add, i64 0, i64 %old.0, i64 %23, i64 %24)
  br label %cleanup67

cleanup67:
  %cond71 = phi i1 [ true, %land.lhs.true ], [ false, %if.then53 ], [ false, %if.end49 ], [ false, %for.cond ]
  %old.2 = phi i64 [ %17, %land.lhs.true ], [ %old.0, %if.then53 ], [ %old.0, %if.end49 ], [ %old.0, %for.cond ]
  br i1 %cond71, label %for.cond, label %cleanup68

cleanup68:
  ret void
}

define i64 @bsgp_gpu_check_access(ptr addrspace(1) %check, i64 %rank, i64 %at, i64 %base, i32 %site, i64 %facts) {
entry:
  %and = and i64 %facts, 65535
  %shr = lshr i64 %facts, 16
  %and1 = and i64 %shr, 65535
  %call = call ptr addrspace(1) @bsgp_gpu_check_find(ptr addrspace(1) %check, i64 %base)
  %tobool.not = icmp eq ptr addrspace(1) %call, null
  br i1 %tobool.not, label %cond.end, label %cond.true

cond.true:
  %begin = getelementptr inbounds %struct.bsgp_gpu_memory, ptr addrspace(1) %call, i64 0, i32 0
  %0 = load i64, ptr addrspace(1) %begin, align 8
  %sub = sub i64 %at, %0
  br label %cond.end

cond.end:
  %cond = phi i64 [ %sub, %cond.true ], [ 0, %entry ]
  br i1 %tobool.not, label %cond.false7, label %cond.true3

cond.true3:
  %extent = getelementptr inbounds %struct.bsgp_gpu_memory, ptr addrspace(1) %call, i64 0, i32 3
  %1 = load i64, ptr addrspace(1) %extent, align 8
  %cmp = icmp ugt i64 %1, %cond
  %sub5 = sub i64 %1, %cond
  %cmp6 = icmp ule i64 %and, %sub5
  %narrow = and i1 %cmp, %cmp6
  br label %cond.end9

cond.false7:
  %sub.i = add i64 %at, -2306968909120536576
  %2 = sub i64 %sub.i, %base
  %cmp.i = icmp ult i64 %2, -2251799813685248
  %3 = add i64 %base, -4096
  %4 = icmp ult i64 %3, 562949953417216
  %5 = and i1 %4, %cmp.i
  br label %cond.end9

cond.end9:
  %cond10.in = phi i1 [ %narrow, %cond.true3 ], [ %5, %cond.false7 ]
  br i1 %cond10.in, label %land.lhs.true, label %if.end

land.lhs.true:
  %sub12 = add nsw i64 %and1, -1
  %and13 = and i64 %sub12, %at
  %tobool14.not = icmp eq i64 %and13, 0
  %not.tobool14.not = xor i1 %tobool14.not, true
  %spec.select88 = select i1 %tobool14.not, i64 0, i64 4294967296
  br label %if.end

if.end:
  %tobool15.not = phi i1 [ true, %cond.end9 ], [ %not.tobool14.not, %land.lhs.true ]
  %what.0 = phi i64 [ 0, %cond.end9 ], [ %spec.select88, %land.lhs.true ]
  br i1 %tobool15.not, label %if.then16, label %if.end25

if.then16:
  %conv = zext i32 %site to i64
  %or = or i64 %what.0, %conv
  call void @bsgp_gpu_check_tell(ptr addrspace(1) %check, i64 %or, i64 %rank, i64 %at, i64 %base, i64 0, i64 0, i64 0)
  %6 = and i64 %facts, 30064771072
  %cmp19 = icmp eq i64 %6, 0
  br i1 %cmp19, label %if.then21, label %if.end22

if.then21:
  %zeros = getelementptr inbounds %struct.bsgp_gpu_check, ptr addrspace(1) %check, i64 0, i32 11
  br label %cleanup.sink.split

if.end22:
  %trash23 = getelementptr inbounds %struct.bsgp_gpu_check, ptr addrspace(1) %check, i64 0, i32 12
  %7 = load i64, ptr addrspace(1) %trash23, align 8
  %8 = inttoptr i64 %7 to ptr addrspace(1)
  store volatile i64 0, ptr addrspace(1) %8, align 8
  br label %cleanup.sink.split

if.end25:
  br i1 %tobool.not, label %cleanup, label %land.lhs.true27

land.lhs.true27:
  %entries = getelementptr inbounds %struct.bsgp_gpu_memory, ptr addrspace(1) %call, i64 0, i32 5
  %9 = load i64, ptr addrspace(1) %entries, align 8
  %tobool28.not = icmp eq i64 %9, 0
  %10 = and i64 %facts, 137438953472
  %tobool32.not = icmp eq i64 %10, 0
  %or.cond = or i1 %tobool32.not, %tobool28.not
  br i1 %or.cond, label %cleanup, label %if.then33

if.then33:
  %shift = getelementptr inbounds %struct.bsgp_gpu_memory, ptr addrspace(1) %call, i64 0, i32 7
  %11 = load i64, ptr addrspace(1) %shift, align 8
  %shr34 = lshr i64 %cond, %11
  %add = add nsw i64 %and, -1
  %sub35 = add i64 %add, %cond
  %shr37 = lshr i64 %sub35, %11
  %cmp38.not89 = icmp ugt i64 %shr34, %shr37
  br i1 %cmp38.not89, label %cleanup, label %for.body

for.body:
  %i.090 = phi i64 [ %inc, %for.body ], [ %shr34, %if.then33 ]
  call void @bsgp_gpu_check_race(ptr addrspace(1) %check, ptr addrspace(1) nonnull %call, i64 %i.090, i64 %rank, i32 %site, i64 %facts)
  %inc = add i64 %i.090, 1
  %cmp38.not = icmp ugt i64 %inc, %shr37
  br i1 %cmp38.not, label %cleanup, label %for.body

cleanup.sink.split:
  %trash23.sink = phi ptr addrspace(1) [ %trash23, %if.end22 ], [ %zeros, %if.then21 ]
  %12 = load i64, ptr addrspace(1) %trash23.sink, align 8
  br label %cleanup

cleanup:
  %retval.0 = phi i64 [ %at, %land.lhs.true27 ], [ %at, %if.end25 ], [ %at, %if.then33 ], [ %12, %cleanup.sink.split ], [ %at, %for.body ]
  ret i64 %retval.0
}

define void @bsgp_gpu_check_put(ptr addrspace(1) %check, i64 %rank, i64 %target, i32 %put, i32 %site) {
entry:
  %size = getelementptr inbounds %struct.bsgp_gpu_check, ptr addrspace(1) %check, i64 0, i32 20
  %0 = load i64, ptr addrspace(1) %size, align 8
  %cmp.not = icmp ugt i64 %0, %target
  br i1 %cmp.not, label %if.end, label %return

if.end:
  %conv = zext i32 %put to i64
  %put_rows = getelementptr inbounds %struct.bsgp_gpu_check, ptr addrspace(1) %check, i64 0, i32 19
  %1 = load i64, ptr addrspace(1) %put_rows, align 8
  %cmp1.not = icmp ugt i64 %1, %conv
  br i1 %cmp1.not, label %if.end4, label %if.then3

if.then3:
  %unjudged = getelementptr inbounds %struct.bsgp_gpu_check, ptr addrspace(1) %check, i64 0, i32 7
  %2 = atomicrmw add ptr addrspace(1) %unjudged, i64 1 monotonic, align 8
  br label %return

if.end4:
  %puts = getelementptr inbounds %struct.bsgp_gpu_check, ptr addrspace(1) %check, i64 0, i32 18
  %3 = load i64, ptr addrspace(1) %puts, align 8
  %4 = inttoptr i64 %3 to ptr addrspace(1)
  %mul = mul i64 %0, %conv
  %add.ptr = getelementptr inbounds i64, ptr addrspace(1) %4, i64 %mul
  %add.ptr7 = getelementptr inbounds i64, ptr addrspace(1) %add.ptr, i64 %target
  %conv.i = zext i32 %site to i64
  %add.i = add nuw nsw i64 %conv.i, 1
  %rank_bits.i = getelementptr inbounds %struct.bsgp_gpu_check, ptr addrspace(1) %check, i64 0, i32 15
  %5 = load i64, ptr addrspace(1) %rank_bits.i, align 8
  %sub.i = sub i64 45, %5
  %shr.i = lshr i64 %add.i, %sub.i
  %tobool.not.i = icmp eq i64 %shr.i, 0
  %cond.i = select i1 %tobool.not.i, i64 %add.i, i64 0
  %epoch.i = getelementptr inbounds %struct.bsgp_gpu_check, ptr addrspace(1) %check, i64 0, i32 14
  %6 = load i64, ptr addrspace(1) %epoch.i, align 8
  %shl.i = shl i64 %6, 50
  %shl2.i = shl i64 %cond.i, %5
  %or.i = or i64 %shl.i, %rank
  %or3.i = or i64 %or.i, %shl2.i
  %or4.i = or i64 %or3.i, 35184372088832
  %7 = atomicrmw xchg ptr addrspace(1) %add.ptr7, i64 %or4.i monotonic, align 8
  %8 = load i64, ptr addrspace(1) %rank_bits.i, align 8
  %shr9 = lshr i64 %7, 50
  %9 = load i64, ptr addrspace(1) %epoch.i, align 8
  %cmp10 = icmp eq i64 %shr9, %9
  br i1 %cmp10, label %land.lhs.true, label %return

land.lhs.true:
  %and = and i64 %7, 35184372088831
  %shr = lshr i64 %and, %8
  %notmask.i = shl nsw i64 -1, %8
  %sub.i47 = xor i64 %notmask.i, -1
  %and.i = and i64 %7, %sub.i47
  %cmp13 = icmp eq i64 %and.i, %rank
  %cmp16 = icmp eq i64 %shr, %cond.i
  %or.cond = select i1 %cmp13, i1 %cmp16, i1 false
  br i1 %or.cond, label %return, label %if.then18

if.then18:
  %or = or i64 %conv.i, 17179869184
  call void @bsgp_gpu_check_tell(ptr addrspace(1) %check, i64 %or, i64 %rank, i64 %target, i64 0, i64 %7, i64 0, i64 0)
  br label %return

return:
  ret void
}

define i32 @bsgp_gpu_check_is_written(ptr addrspace(1) %check, i64 %at, i64 %bytes) {
entry:
  %call = call ptr addrspace(1) @bsgp_gpu_check_find(ptr addrspace(1) %check, i64 %at)
  %tobool.not = icmp eq ptr addrspace(1) %call, null
  br i1 %tobool.not, label %cleanup18, label %lor.lhs.false

lor.lhs.false:
  %written = getelementptr inbounds %struct.bsgp_gpu_memory, ptr addrspace(1) %call, i64 0, i32 4
  %0 = load i64, ptr addrspace(1) %written, align 8
  %tobool1.not = icmp eq i64 %0, 0
  br i1 %tobool1.not, label %cleanup18, label %lor.lhs.false2

lor.lhs.false2:
  %begin = getelementptr inbounds %struct.bsgp_gpu_memory, ptr addrspace(1) %call, i64 0, i32 0
  %1 = load i64, ptr addrspace(1) %begin, align 8
  %sub = sub i64 %at, %1
  %add = add i64 %sub, %bytes
  %bytes3 = getelementptr inbounds %struct.bsgp_gpu_memory, ptr addrspace(1) %call, i64 0, i32 2
  %2 = load i64, ptr addrspace(1) %bytes3, align 8
  %cmp = icmp ugt i64 %add, %2
  br i1 %cmp, label %cleanup18, label %for.cond.preheader

for.cond.preheader:
  %3 = inttoptr i64 %0 to ptr addrspace(1)
  br label %for.cond

for.cond:
  %i.0 = phi i64 [ %add.i, %for.body ], [ %sub, %for.cond.preheader ]
  %cmp7 = icmp ugt i64 %add, %i.0
  br i1 %cmp7, label %for.body, label %cleanup14

for.body:
  %shr = lshr i64 %i.0, 5
  %add.ptr = getelementptr inbounds i32, ptr addrspace(1) %3, i64 %shr
  %and.i = and i64 %i.0, 31
  %sub.i = sub i64 %add, %i.0
  %sub1.i = sub nuw nsw i64 32, %and.i
  %cmp.i = icmp ult i64 %sub.i, %sub1.i
  %sub.sub1.i = select i1 %cmp.i, i64 %sub.i, i64 %sub1.i
  %add.i = add i64 %sub.sub1.i, %i.0
  %4 = trunc i64 %sub.sub1.i to i32
  %sh_prom.i = sub nsw i32 32, %4
  %shr.i = lshr i32 -1, %sh_prom.i
  %sh_prom5.i = trunc i64 %and.i to i32
  %shl.i = shl i32 %shr.i, %sh_prom5.i
  %5 = load volatile i32, ptr addrspace(1) %add.ptr, align 4
  %and = and i32 %5, %shl.i
  %cmp10.not = icmp eq i32 %and, %shl.i
  br i1 %cmp10.not, label %for.cond, label %cleanup14

cleanup14:
  %not.cmp7 = xor i1 %cmp7, true
  %spec.select = zext i1 %not.cmp7 to i32
  br label %cleanup18

cleanup18:
  %retval.3 = phi i32 [ 1, %lor.lhs.false2 ], [ 1, %lor.lhs.false ], [ 1, %entry ], [ %spec.select, %cleanup14 ]
  ret i32 %retval.3
}

define void @bsgp_gpu_check_set_written(ptr addrspace(1) %check, i64 %at, i64 %bytes, i32 %is_written) {
entry:
  %call = call ptr addrspace(1) @bsgp_gpu_check_find(ptr addrspace(1) %check, i64 %at)
  %tobool.not = icmp eq ptr addrspace(1) %call, null
  br i1 %tobool.not, label %cleanup23, label %lor.lhs.false

lor.lhs.false:
  %written = getelementptr inbounds %struct.bsgp_gpu_memory, ptr addrspace(1) %call, i64 0, i32 4
  %0 = load i64, ptr addrspace(1) %written, align 8
  %tobool1.not = icmp eq i64 %0, 0
  br i1 %tobool1.not, label %cleanup23, label %lor.lhs.false2

lor.lhs.false2:
  %begin = getelementptr inbounds %struct.bsgp_gpu_memory, ptr addrspace(1) %call, i64 0, i32 0
  %1 = load i64, ptr addrspace(1) %begin, align 8
  %sub = sub i64 %at, %1
  %add = add i64 %sub, %bytes
  %bytes3 = getelementptr inbounds %struct.bsgp_gpu_memory, ptr addrspace(1) %call, i64 0, i32 2
  %2 = load i64, ptr addrspace(1) %bytes3, align 8
  %cmp = icmp ule i64 %add, %2
  %cmp750 = icmp ugt i64 %add, %sub
  %or.cond = and i1 %cmp, %cmp750
  br i1 %or.cond, label %for.body.lr.ph, label %cleanup23

for.body.lr.ph:
  %tobool10.not = icmp eq i32 %is_written, 0
  br label %for.body

for.body:
  %i.051 = phi i64 [ %sub, %for.body.lr.ph ], [ %add.i, %cleanup ]
  %3 = load i64, ptr addrspace(1) %written, align 8
  %4 = inttoptr i64 %3 to ptr addrspace(1)
  %shr = lshr i64 %i.051, 5
  %add.ptr = getelementptr inbounds i32, ptr addrspace(1) %4, i64 %shr
  %and.i = and i64 %i.051, 31
  %sub.i = sub i64 %add, %i.051
  %sub1.i = sub nuw nsw i64 32, %and.i
  %cmp.i = icmp ult i64 %sub.i, %sub1.i
  %sub.sub1.i = select i1 %cmp.i, i64 %sub.i, i64 %sub1.i
  %add.i = add i64 %sub.sub1.i, %i.051
  %5 = trunc i64 %sub.sub1.i to i32
  %sh_prom.i = sub nsw i32 32, %5
  %shr.i = lshr i32 -1, %sh_prom.i
  %sh_prom5.i = trunc i64 %and.i to i32
  %shl.i = shl i32 %shr.i, %sh_prom5.i
  %6 = load volatile i32, ptr addrspace(1) %add.ptr, align 4
  %and = and i32 %6, %shl.i
  %cond = select i1 %tobool10.not, i32 0, i32 %shl.i
  %cmp11 = icmp eq i32 %and, %cond
  br i1 %cmp11, label %cleanup, label %if.end13

if.end13:
  br i1 %tobool10.not, label %if.else, label %if.then15

if.then15:
  %7 = atomicrmw or ptr addrspace(1) %add.ptr, i32 %shl.i monotonic, align 4
  br label %cleanup

if.else:
  %neg = xor i32 %shl.i, -1
  %8 = atomicrmw and ptr addrspace(1) %add.ptr, i32 %neg monotonic, align 4
  br label %cleanup

cleanup:
  %cmp7 = icmp ugt i64 %add, %add.i
  br i1 %cmp7, label %for.body, label %cleanup23

cleanup23:
  ret void
}

define i32 @bsgp_gpu_check_is_set(ptr addrspace(1) %check, i64 %at, i64 %bytes) {
entry:
  %unset = getelementptr inbounds %struct.bsgp_gpu_check, ptr addrspace(1) %check, i64 0, i32 16
  %0 = load i64, ptr addrspace(1) %unset, align 8
  %1 = inttoptr i64 %0 to ptr addrspace(1)
  %unset_count = getelementptr inbounds %struct.bsgp_gpu_check, ptr addrspace(1) %check, i64 0, i32 17
  %2 = load i64, ptr addrspace(1) %unset_count, align 8
  %mul = shl i64 %2, 1
  %cmp15 = icmp ne i64 %mul, 0
  br i1 %cmp15, label %for.body.lr.ph, label %cleanup

for.body.lr.ph:
  %add3 = add i64 %bytes, %at
  br label %for.body

for.body:
  %cmp18 = phi i1 [ %cmp15, %for.body.lr.ph ], [ %cmp, %for.inc ]
  %i.016 = phi i64 [ 0, %for.body.lr.ph ], [ %add5, %for.inc ]
  %add = or i64 %i.016, 1
  %arrayidx = getelementptr inbounds i64, ptr addrspace(1) %1, i64 %add
  %3 = load i64, ptr addrspace(1) %arrayidx, align 8
  %cmp1 = icmp ugt i64 %3, %at
  br i1 %cmp1, label %land.lhs.true, label %for.inc

land.lhs.true:
  %arrayidx2 = getelementptr inbounds i64, ptr addrspace(1) %1, i64 %i.016
  %4 = load i64, ptr addrspace(1) %arrayidx2, align 8
  %cmp4 = icmp ult i64 %4, %add3
  br i1 %cmp4, label %cleanup, label %for.inc

for.inc:
  %add5 = add nuw i64 %i.016, 2
  %cmp = icmp ult i64 %add5, %mul
  br i1 %cmp, label %for.body, label %cleanup

cleanup:
  %cmp.lcssa = phi i1 [ %cmp15, %entry ], [ %cmp, %for.inc ], [ %cmp18, %land.lhs.true ]
  %not.cmp = xor i1 %cmp.lcssa, true
  %spec.select = zext i1 %not.cmp to i32
  ret i32 %spec.select
}
