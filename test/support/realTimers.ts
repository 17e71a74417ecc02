/**
 * For `jest.useFakeTimers({ now, doNotFake: realTimers })`: only the test moves the clock, and timers run as usual. The call
 * stands in the test file, because the runtime of the tests looks for it there.
 */
export const realTimers = [
  ...(['hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'clearImmediate'] as const),
  ...(['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const),
];
