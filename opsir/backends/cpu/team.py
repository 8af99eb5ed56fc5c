"""Threads that help a caller with the shares of a kernel, as native code.

Owns the protocol between a caller and its helpers, in LLVM IR: how work is offered, claimed and
waited for. Knows no kernel and starts no thread; the runtime does, with the worker's address.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from opsir.backends.cpu import llvm
from opsir.backends.cpu.host import host_machine
from opsir.machine import Machine

STATE_BYTES = 1024
"""Memory of one team: writable, zero, aligned to 64 bytes, never freed while its threads live."""

HELPER_LOOKS = 2_000
"""Looks for work before a helper sleeps: 60 us at 30 ns, longer than a short call takes."""
CALLER_LOOKS = 500
"""Looks whether all is done before a caller sleeps."""

LIBC = (
    "pthread_mutex_init",
    "pthread_mutex_lock",
    "pthread_mutex_unlock",
    "pthread_cond_init",
    "pthread_cond_wait",
    "pthread_cond_signal",
    "pthread_cond_broadcast",
    "sched_yield",
)
"""What the code calls."""

_PAUSE = {"x86_64": "@llvm.x86.sse2.pause()", "aarch64": "@llvm.aarch64.hint(i32 1)"}


@dataclass(frozen=True, slots=True)
class TeamCode:
    """Addresses of the functions of a team, valid while ``code`` lives.

    ``void start(state)`` makes zeroed memory a team without threads. ``void *work(state)`` is what
    each thread runs until ``void stop(state)``. ``int32_t run(state, share, block, split, shares)``
    calls ``share(block, split, number, shares)`` once for each number and returns the OR of what
    those calls return; it is for any number of callers, of which one at a time gets help.
    """

    start: int
    work: int
    stop: int
    run: int
    code: llvm.LoadedCode


@cache
def team_code() -> TeamCode:
    """The code of teams for the machine at hand, compiled once."""
    machine = host_machine()
    image = llvm.object_code(team_text(machine), machine, frozenset(LIBC))
    start, work, stop, run = (f"opsir.team.{name}" for name in ("start", "work", "stop", "run"))
    code = llvm.LoadedCode(image, [start, work, stop, run])
    at = code.address
    return TeamCode(at(start), at(work), at(stop), at(run), code)


def team_text(machine: Machine) -> str:
    """The LLVM IR of a team.

    A ticket holds a serial number of the offer and, in its low 16 bits, how many of its shares
    nobody has claimed; who counts it down by one has a share. Only then are the fields of the offer
    read: they stay as they are until every claimed share is done. So nobody ever waits for a thread
    that has not claimed anything: one that is late, or does not exist in a forked child, only
    leaves more to the caller.
    """
    tools = llvm.toolchain(machine)
    head = f'target triple = "{tools.triple}"\ntarget datalayout = "{tools.layout}"\n'
    pause = _PAUSE[machine.arch]
    declared = pause.replace("i32 1", "i32")
    body = _TEXT.replace("PAUSE", f"call void {pause}")
    body = body.replace("HELPER_LOOKS", str(HELPER_LOOKS)).replace(
        "CALLER_LOOKS", str(CALLER_LOOKS)
    )
    return f"{head}declare void {declared}\n{body}"


_TEXT = """
%team = type {
  i64, [56 x i8],       ; 0: ticket, alone in its cache line
  i64, i32, [52 x i8],  ; 2: shares not done yet, 3: flags raised so far
  ptr, ptr, i64, i64,   ; 5: the offer: function, block, split, shares
  i64, i64, i64, i64,   ; 9: caller active, 10: threads asleep, 11: caller asleep, 12: stopped
  [128 x i8],           ; 13: mutex
  [128 x i8],           ; 14: condition of the threads
  [128 x i8]            ; 15: condition of the caller
}

declare i32 @pthread_mutex_init(ptr, ptr)
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare i32 @pthread_cond_init(ptr, ptr)
declare i32 @pthread_cond_wait(ptr, ptr)
declare i32 @pthread_cond_signal(ptr)
declare i32 @pthread_cond_broadcast(ptr)
declare i32 @sched_yield()

define void @opsir.team.start(ptr %t) nounwind {
  %mutex = getelementptr %team, ptr %t, i64 0, i32 13
  %wake = getelementptr %team, ptr %t, i64 0, i32 14
  %finished = getelementptr %team, ptr %t, i64 0, i32 15
  call i32 @pthread_mutex_init(ptr %mutex, ptr null)
  call i32 @pthread_cond_init(ptr %wake, ptr null)
  call i32 @pthread_cond_init(ptr %finished, ptr null)
  ret void
}

define void @opsir.team.stop(ptr %t) nounwind {
  %stopped = getelementptr %team, ptr %t, i64 0, i32 12
  store atomic i64 1, ptr %stopped seq_cst, align 8
  call void @wake(ptr %t)
  ret void
}

; Wake every thread. One that is about to sleep holds the mutex from its last look on.
define internal void @wake(ptr %t) nounwind {
  %mutex = getelementptr %team, ptr %t, i64 0, i32 13
  %wake = getelementptr %team, ptr %t, i64 0, i32 14
  call i32 @pthread_mutex_lock(ptr %mutex)
  call i32 @pthread_mutex_unlock(ptr %mutex)
  call i32 @pthread_cond_broadcast(ptr %wake)
  ret void
}

; Between two looks: the core's own pause, now and then a turn for whoever else wants the core.
define internal void @rest(i64 %turn) nounwind {
entry:
  %place = and i64 %turn, 63
  %pauses = icmp ne i64 %place, 0
  br i1 %pauses, label %pause, label %yield
pause:
  PAUSE
  ret void
yield:
  call i32 @sched_yield()
  ret void
}

; Claim one share and run it; false where none is left.
define internal i1 @take(ptr %t) nounwind {
entry:
  %ticket = getelementptr %team, ptr %t, i64 0, i32 0
  %now = load atomic i64, ptr %ticket acquire, align 8
  br label %look
look:
  %seen = phi i64 [ %now, %entry ], [ %found, %claim ]
  %left = and i64 %seen, 65535
  %none = icmp eq i64 %left, 0
  br i1 %none, label %nothing, label %claim
claim:
  %less = sub i64 %seen, 1
  %pair = cmpxchg ptr %ticket, i64 %seen, i64 %less acq_rel acquire
  %found = extractvalue { i64, i1 } %pair, 0
  %mine = extractvalue { i64, i1 } %pair, 1
  br i1 %mine, label %run, label %look
run:
  %number = sub i64 %left, 1
  %function.at = getelementptr %team, ptr %t, i64 0, i32 5
  %function = load ptr, ptr %function.at
  %block.at = getelementptr %team, ptr %t, i64 0, i32 6
  %block = load ptr, ptr %block.at
  %split.at = getelementptr %team, ptr %t, i64 0, i32 7
  %split = load i64, ptr %split.at
  %shares.at = getelementptr %team, ptr %t, i64 0, i32 8
  %shares = load i64, ptr %shares.at
  %raised = call i32 %function(ptr %block, i64 %split, i64 %number, i64 %shares)
  %flags = getelementptr %team, ptr %t, i64 0, i32 3
  %flags.before = atomicrmw or ptr %flags, i32 %raised monotonic
  %pending = getelementptr %team, ptr %t, i64 0, i32 2
  %before = atomicrmw sub ptr %pending, i64 1 seq_cst
  %last = icmp eq i64 %before, 1
  br i1 %last, label %report, label %done
report:
  %asleep = getelementptr %team, ptr %t, i64 0, i32 11
  %waits = load atomic i64, ptr %asleep seq_cst, align 8
  %awake = icmp eq i64 %waits, 0
  br i1 %awake, label %done, label %signal
signal:
  %mutex = getelementptr %team, ptr %t, i64 0, i32 13
  %finished = getelementptr %team, ptr %t, i64 0, i32 15
  call i32 @pthread_mutex_lock(ptr %mutex)
  call i32 @pthread_mutex_unlock(ptr %mutex)
  call i32 @pthread_cond_signal(ptr %finished)
  br label %done
done:
  ret i1 true
nothing:
  ret i1 false
}

define ptr @opsir.team.work(ptr %t) nounwind {
entry:
  %ticket = getelementptr %team, ptr %t, i64 0, i32 0
  %asleep = getelementptr %team, ptr %t, i64 0, i32 10
  %stopped = getelementptr %team, ptr %t, i64 0, i32 12
  %mutex = getelementptr %team, ptr %t, i64 0, i32 13
  %wake = getelementptr %team, ptr %t, i64 0, i32 14
  br label %again
again:
  br label %look
look:
  %turn = phi i64 [ 0, %again ], [ %next, %idle ]
  %ran = call i1 @take(ptr %t)
  br i1 %ran, label %again, label %check
check:
  %over = load atomic i64, ptr %stopped acquire, align 8
  %leaves = icmp ne i64 %over, 0
  br i1 %leaves, label %leave, label %idle
idle:
  %next = add i64 %turn, 1
  call void @rest(i64 %next)
  %patient = icmp ult i64 %next, HELPER_LOOKS
  br i1 %patient, label %look, label %sleep
sleep:
  call i32 @pthread_mutex_lock(ptr %mutex)
  %fewer = atomicrmw add ptr %asleep, i64 1 seq_cst
  br label %last.look
last.look:
  %now = load atomic i64, ptr %ticket seq_cst, align 8
  %left = and i64 %now, 65535
  %stop = load atomic i64, ptr %stopped seq_cst, align 8
  %reasons = or i64 %left, %stop
  %quiet = icmp eq i64 %reasons, 0
  br i1 %quiet, label %wait, label %awake
wait:
  call i32 @pthread_cond_wait(ptr %wake, ptr %mutex)
  br label %last.look
awake:
  %more = atomicrmw sub ptr %asleep, i64 1 seq_cst
  call i32 @pthread_mutex_unlock(ptr %mutex)
  br label %again
leave:
  ret ptr null
}

define i32 @opsir.team.run(ptr %t, ptr %function, ptr %block, i64 %split, i64 %shares) nounwind {
entry:
  %active = getelementptr %team, ptr %t, i64 0, i32 9
  %pair = cmpxchg ptr %active, i64 0, i64 1 acq_rel acquire
  %mine = extractvalue { i64, i1 } %pair, 1
  br i1 %mine, label %offer, label %alone
alone:
  %whole = call i32 %function(ptr %block, i64 %split, i64 0, i64 1)
  ret i32 %whole
offer:
  %function.at = getelementptr %team, ptr %t, i64 0, i32 5
  store ptr %function, ptr %function.at
  %block.at = getelementptr %team, ptr %t, i64 0, i32 6
  store ptr %block, ptr %block.at
  %split.at = getelementptr %team, ptr %t, i64 0, i32 7
  store i64 %split, ptr %split.at
  %shares.at = getelementptr %team, ptr %t, i64 0, i32 8
  store i64 %shares, ptr %shares.at
  %flags = getelementptr %team, ptr %t, i64 0, i32 3
  store i32 0, ptr %flags
  %pending = getelementptr %team, ptr %t, i64 0, i32 2
  store atomic i64 %shares, ptr %pending monotonic, align 8
  %ticket = getelementptr %team, ptr %t, i64 0, i32 0
  %before = load atomic i64, ptr %ticket monotonic, align 8
  %full = or i64 %before, 65535
  %serial = add i64 %full, 1
  %offered = or i64 %serial, %shares
  store atomic i64 %offered, ptr %ticket seq_cst, align 8
  %asleep = getelementptr %team, ptr %t, i64 0, i32 10
  %sleepers = load atomic i64, ptr %asleep seq_cst, align 8
  %none = icmp eq i64 %sleepers, 0
  br i1 %none, label %help, label %rouse
rouse:
  call void @wake(ptr %t)
  br label %help
help:
  %ran = call i1 @take(ptr %t)
  br i1 %ran, label %help, label %look
look:
  %turn = phi i64 [ 0, %help ], [ %next, %idle ]
  %open = load atomic i64, ptr %pending acquire, align 8
  %complete = icmp eq i64 %open, 0
  br i1 %complete, label %end, label %idle
idle:
  %next = add i64 %turn, 1
  call void @rest(i64 %next)
  %patient = icmp ult i64 %next, CALLER_LOOKS
  br i1 %patient, label %look, label %sleep
sleep:
  %mutex = getelementptr %team, ptr %t, i64 0, i32 13
  %finished = getelementptr %team, ptr %t, i64 0, i32 15
  %waiting = getelementptr %team, ptr %t, i64 0, i32 11
  call i32 @pthread_mutex_lock(ptr %mutex)
  store atomic i64 1, ptr %waiting seq_cst, align 8
  br label %last.look
last.look:
  %still = load atomic i64, ptr %pending seq_cst, align 8
  %over = icmp eq i64 %still, 0
  br i1 %over, label %awake, label %wait
wait:
  call i32 @pthread_cond_wait(ptr %finished, ptr %mutex)
  br label %last.look
awake:
  store atomic i64 0, ptr %waiting seq_cst, align 8
  call i32 @pthread_mutex_unlock(ptr %mutex)
  br label %end
end:
  %raised = load i32, ptr %flags
  store atomic i64 0, ptr %active release, align 8
  ret i32 %raised
}
"""
