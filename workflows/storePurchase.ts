import { condition, continueAsNew, defineSignal, proxyActivities, setHandler } from '@temporalio/workflow';
import { type Activities } from '../activities';
import { inBackground } from './background';
import { backoffMs } from './externalPayment';
import { clockMovedSignal, syncSignal, type SyncResult, type StorePurchaseInput } from './messages';
import { looksMax, store } from './policies';
import { show } from './operator';

const { syncStorePurchase, acknowledgeStorePurchase } = proxyActivities<Activities>(store);

const syncRequested = defineSignal(syncSignal);
const clockMoved = defineSignal(clockMovedSignal);

/**
 * Follows one store purchase until its state is final. It asks the store around the end of each period, once a day, and
 * after each notification. The content of a notification is not trusted; it only triggers a check.
 */
export async function storePurchase({ storePurchaseId }: StorePurchaseInput): Promise<void> {
  const triggers = listen();
  let failures = 0;
  let isAsked = true;
  for (let looks = 1; ; looks += 1) {
    triggers.clockMoved = false;
    const seen = triggers.requested;
    const result: SyncResult = await syncStorePurchase.executeWithOptions(inBackground(), [
      { storePurchaseId, isForced: isAsked },
    ]);
    show(result.state, `### ${result.state}\nThe store is asked again ${nextOf(result)}.`);
    const isUnserved =
      result.needsAcknowledgement &&
      !(await acknowledgeStorePurchase.executeWithOptions(inBackground(), [storePurchaseId])).isDone;
    const isAway = result.retryAfterMs !== undefined;
    failures = isAway || isUnserved ? failures + 1 : 0;
    const retryMs = failures > 0 ? backoffMs(failures - 1, result.retryAfterMs ?? 0) : null;
    const waitMs = least(isAway ? null : result.waitMs, retryMs);
    const isNews = () => triggers.requested > seen || triggers.clockMoved;
    if (waitMs === null && !isNews()) return;
    if (looks >= looksMax && !isNews()) await continueAsNew<typeof storePurchase>({ storePurchaseId });
    if (waitMs !== null) await condition(isNews, Math.max(1_000, waitMs), { summary: 'before the next check' });
    isAsked = triggers.requested > seen || isAway;
  }
}

interface Triggers {
  /** The number of requested checks. */
  requested: number;
  clockMoved: boolean;
}

function listen(): Triggers {
  const triggers: Triggers = { requested: 0, clockMoved: false };
  setHandler(syncRequested, () => void (triggers.requested += 1), {
    description: 'The store has reported a change: check the purchase.',
  });
  const move = () => void (triggers.clockMoved = true);
  setHandler(clockMoved, move, { description: 'The merchant’s test clock has moved: check whether a step is due.' });
  return triggers;
}

function nextOf({ waitMs, retryAfterMs }: SyncResult): string {
  if (retryAfterMs !== undefined) return 'as soon as it answers';
  return waitMs === null ? 'only after a notification' : `in ${Math.round(waitMs / 60_000)} minutes`;
}

function least(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}
