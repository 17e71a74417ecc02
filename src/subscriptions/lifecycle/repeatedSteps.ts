import { type StepInput } from '../../../workflows/messages';

/** When a step or a message counts as one that was taken before. Pure, so that the simulated lifetimes share these rules. */

/** What the history records about a step: the change or the message that it made, and the request that led to it. */
export interface TakenStep {
  changeId: string | null;
  requestId: string | null;
}

/** Whether the history has the same step, and not a step of another message in its place. */
export function isSameStep({ completes, changeId, actor }: StepInput, taken: TakenStep): boolean {
  const id = completes ?? changeId ?? null;
  return taken.changeId === id && (id !== null || taken.requestId === (actor?.requestId ?? null));
}

const dayMs = 86_400_000;

/** Whether a message is a repetition, which changes nothing. A client may use the key of its request again after a day. */
export const isRepeated = ({ actor, atMs }: StepInput, madeAtMs: number): boolean =>
  actor === undefined || madeAtMs > atMs - dayMs;
