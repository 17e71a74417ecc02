import { condition, continueAsNew, defineSignal, proxyActivities, setHandler } from '@temporalio/workflow';
import { type Activities } from '../activities';
import { backoffMs } from './externalPayment';
import { clockMovedSignal, lookAgainSignal, type LookResult, type StorePurchaseInput } from './messages';
import { looksMax, store } from './policies';
import { show } from './operator';

const { lookAtStorePurchase, acknowledgeStorePurchase } = proxyActivities<Activities>(store);

const lookAgain = defineSignal(lookAgainSignal);
const clockMoved = defineSignal(clockMovedSignal);

/**
 * One purchase in a store, as long as anything may become of it. It looks around each end of a period and once a day, and
 * whenever the store has told of something: what a notification says is never believed, only that it is time to look.
 */
export async function storePurchase({ storePurchaseId }: StorePurchaseInput): Promise<void> {
  const woken = listen();
  let failures = 0;
  let isAsked = true;
  for (let looks = 1; ; looks += 1) {
    woken.clockMoved = false;
    const seen = woken.asked;
    const result: LookResult = await lookAtStorePurchase({ storePurchaseId, isAsked });
    show(result.state, `### ${result.state}\nThe store is asked again ${nextOf(result)}.`);
    const isUnserved = result.needsAcknowledgement && !(await acknowledgeStorePurchase(storePurchaseId)).isDone;
    const isAway = result.retryAfterMs !== undefined;
    failures = isAway || isUnserved ? failures + 1 : 0;
    const retryMs = failures > 0 ? backoffMs(failures - 1, result.retryAfterMs ?? 0) : null;
    const waitMs = least(isAway ? null : result.waitMs, retryMs);
    const isNews = () => woken.asked > seen || woken.clockMoved;
    if (waitMs === null && !isNews()) return;
    if (looks >= looksMax && !isNews()) await continueAsNew<typeof storePurchase>({ storePurchaseId });
    if (waitMs !== null) await condition(isNews, Math.max(1_000, waitMs), { summary: 'before the next look' });
    isAsked = woken.asked > seen || isAway;
  }
}

interface Woken {
  /** How often somebody has said that there is something to see. */
  asked: number;
  clockMoved: boolean;
}

function listen(): Woken {
  const woken: Woken = { asked: 0, clockMoved: false };
  setHandler(lookAgain, () => void (woken.asked += 1), { description: 'The store has told of something: look.' });
  const move = () => void (woken.clockMoved = true);
  setHandler(clockMoved, move, { description: 'The merchant’s test clock has moved: look whether it is time.' });
  return woken;
}

function nextOf({ waitMs, retryAfterMs }: LookResult): string {
  if (retryAfterMs !== undefined) return 'as soon as it answers';
  return waitMs === null ? 'only when it tells of something' : `in ${Math.round(waitMs / 60_000)} minutes`;
}

function least(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}
