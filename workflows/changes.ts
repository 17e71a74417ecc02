import { patched, proxyLocalActivities } from '@temporalio/workflow';
import { type Activities } from '../activities';
import { refusalOf } from './guards';
import { type Message } from './inbox';
import { chargeNow, end, giveUpAsked, renewed, resumePaused, retry, stepAt, type Life } from './life';
import { type Change, type ChangeAnswer, type ChangeRequest } from './messages';
import { quick } from './policies';

const local = proxyLocalActivities<Activities>(quick);

/** Does what was asked for or told, if it is still possible when its turn comes. */
export async function act(life: Life, message: Message, atMs: number): Promise<ChangeAnswer> {
  const { standing } = life;
  const isOver = ['canceled', 'expired', 'revoked'].includes(standing.state);
  switch (message.kind) {
    case 'erased':
      life.isErased = true;
      return isOver ? done(life) : end(life, 'canceled', 'account erased', atMs, true);
    case 'revoked':
      return isOver ? done(life) : end(life, 'revoked', message.reason, atMs);
    case 'restored':
      if (standing.state === 'revoked' && atMs < standing.periodEndMs)
        life.standing = await local.restoreSubscription(stepAt(life, atMs));
      return done(life);
    case 'request':
      return changeFor(life, message.request, atMs);
  }
}

/** Every step that follows from it is written down as theirs. */
async function changeFor(life: Life, request: ChangeRequest, atMs: number): Promise<ChangeAnswer> {
  if (request.actor) life.actor = request.actor;
  try {
    return await change(life, request, atMs);
  } finally {
    delete life.actor;
  }
}

async function change(life: Life, request: ChangeRequest, atMs: number): Promise<ChangeAnswer> {
  const refusal = refusalOf(request, life.standing);
  if (refusal !== undefined) return { done: false, why: 'state', explain: refusal };
  switch (request.kind) {
    case 'cancel':
      return cancel(life, request, atMs);
    case 'resume':
      return resume(life, atMs);
    case 'pause':
      life.standing = await local.planPause({
        ...stepAt(life, atMs),
        pauses: true,
        ...(request.resumesAtMs !== undefined && { resumesAtMs: request.resumesAtMs }),
      });
      return done(life);
    case 'retry':
      return retry(life, atMs);
    case 'switch':
      return switchPlan(life, request, atMs);
    case 'useCard':
      return useCard(life, request.cardId, atMs);
    case 'giveUp':
      return done(life);
  }
}

/** Paid time runs out; what is not paid ends at once, unless its payer has approved the payment in the meantime. */
async function cancel(life: Life, { at, reason }: Extract<Change, { kind: 'cancel' }>, atMs: number) {
  const ending = reason || 'canceled';
  const isPaid = life.standing.state === 'trialing' || life.standing.state === 'active';
  if (isPaid && at === 'now') return end(life, 'canceled', ending, atMs);
  if (!isPaid) {
    if ((await giveUpAsked(life, atMs)) !== 'paid') return end(life, 'canceled', ending, atMs);
    await renewed(life, atMs);
    // Older code ended it here and kept the money: the period that was paid for now runs out like any other.
    if (!patched('approved-then-canceled')) return end(life, 'canceled', ending, atMs);
  }
  life.standing = await local.turnRenewal({ ...stepAt(life, atMs), autoRenew: false, reason });
  return done(life);
}

async function resume(life: Life, atMs: number): Promise<ChangeAnswer> {
  if (life.standing.state === 'paused') return resumePaused(life, atMs);
  life.standing = life.standing.pausesAtPeriodEnd
    ? await local.planPause({ ...stepAt(life, atMs), pauses: false })
    : await local.turnRenewal({ ...stepAt(life, atMs), autoRenew: true, reason: '' });
  return done(life);
}

/** With `now`, the plan changes only if the payment succeeds. */
async function switchPlan(life: Life, request: Extract<Change, { kind: 'switch' }>, atMs: number) {
  const { accessFeeId, mode } = request;
  const wanted = { ...stepAt(life, atMs), accessFeeId, ...(mode && { mode }) };
  const { amountMinor, isLater, agreed } = await local.priceSwitch(wanted);
  if (!isLater && amountMinor > 0) {
    const refusal = await chargeNow(life, { cycle: life.standing.cycle + 1, attempt: 1, amountMinor, atMs });
    if (refusal) return refusal;
  }
  life.standing = await local.switchPlan({ ...wanted, ...(agreed && { agreed }) });
  return done(life);
}

async function useCard(life: Life, cardId: number, atMs: number): Promise<ChangeAnswer> {
  life.standing = await local.changeCard({ ...stepAt(life, atMs), cardId });
  return life.standing.dunning ? retry(life, atMs) : done(life);
}

function done(life: Life): ChangeAnswer {
  return { done: true, state: life.standing.state };
}
