import { type Activities } from '../../activities';

export const providerCalls = ['provider.charge', 'provider.lookUpCharge', 'provider.voidCharge'] as const;

export type CrashStep = keyof Activities | (typeof providerCalls)[number];
/** `before`: nothing of the step has happened. `after`: all of it has, and nobody knows. */
export type CrashPoint = `${CrashStep}:${'before' | 'after'}`;

/** The same step, except that this process is gone without a word when it comes to the point. */
export function crashAround<Input extends unknown[], Output>(
  point: CrashPoint | undefined,
  step: CrashStep,
  run: (...input: Input) => Promise<Output>,
): (...input: Input) => Promise<Output> {
  return async (...input) => {
    if (point === `${step}:before`) await crash();
    const result = await run(...input);
    if (point === `${step}:after`) await crash();
    return result;
  };
}

/** Never returns: the signal may take a moment to arrive, and nothing may happen in it. */
export function crash(): Promise<never> {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => undefined);
}
