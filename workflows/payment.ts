import {
  allHandlersFinished,
  condition,
  defineSignal,
  defineUpdate,
  proxyLocalActivities,
  setHandler,
} from '@temporalio/workflow';
import { type Activities } from '../activities';
import {
  chargeOrFail,
  listenForAnswers,
  waitForAnswer,
  waitForBank,
  type Answers,
  type SettledOutcome,
} from './charging';
import { MerchantClock } from './merchantClock';
import {
  accountErasedSignal,
  clockMovedSignal,
  giveUpPaymentUpdate,
  type ClockMoved,
  type PaymentInput,
  type PaymentResult,
} from './messages';
import { show, showFailure } from './operator';
import { quick, unsentLimitMs } from './policies';

const { completePayment, failPayment, openPayment } = proxyLocalActivities<Activities>(quick);
const giveUp = defineUpdate<PaymentResult>(giveUpPaymentUpdate);
const accountErased = defineSignal(accountErasedSignal);
const clockMoved = defineSignal<[ClockMoved]>(clockMovedSignal);

/** One one-time payment, from its submission to its outcome. Only this run changes the payment's state. */
export async function payment({ paymentId }: PaymentInput): Promise<PaymentResult> {
  const run: Run = { isGivenUp: false, answers: listenForAnswers(), clock: new MerchantClock() };
  setHandler(giveUp, () => giveUpRun(run), {
    description: 'Gives up a payment that waits for its payer’s authentication.',
  });
  const erased = 'The account is being erased: gives up a pending authentication.';
  setHandler(accountErased, () => void (run.isGivenUp = true), { description: erased });
  setHandler(clockMoved, ({ aheadMs }) => run.clock.move(aheadMs), {
    description: 'The merchant’s test clock has moved: check whether the payer’s time is over.',
  });
  run.result = await settle(paymentId, await payOnce(paymentId, run));
  await condition(allHandlersFinished);
  return run.result;
}

interface Run {
  isGivenUp: boolean;
  answers: Answers;
  clock: MerchantClock;
  result?: PaymentResult;
}

/** Waits for the outcome, because the payment may have been paid before it was given up. */
async function giveUpRun(run: Run): Promise<PaymentResult> {
  run.isGivenUp = true;
  await condition(() => run.result !== undefined);
  return run.result ?? { state: 'failed' };
}

/** Charges the payment, and waits for the payer's authentication or for the bank of a direct debit. */
async function payOnce(paymentId: number, run: Run): Promise<SettledOutcome> {
  const { clock } = run;
  const options = { limitMs: unsentLimitMs, isWithdrawn: () => run.isGivenUp };
  const outcome = await chargeOrFail({ paymentId }, options);
  const wait = { now: () => clock.now(), moves: () => clock.moves, isGivenUp: () => run.isGivenUp };
  if (outcome.outcome === 'requires_action') {
    clock.set({ aheadMs: outcome.aheadMs ?? 0, jumpedToMs: 0 });
    show('incomplete', '### Waiting for the payer\nThe card needs an authentication.');
    return waitForAnswer({ paymentId }, outcome, run.answers, wait);
  }
  if (outcome.outcome !== 'processing') return outcome;
  if (outcome.opensAccess) await openPayment(paymentId);
  show('incomplete', '### Waiting for the bank\nThe direct debit is being processed.');
  return waitForBank({ paymentId }, run.answers, wait);
}

async function settle(paymentId: number, outcome: SettledOutcome): Promise<PaymentResult> {
  if (outcome.outcome === 'paid') {
    const { isOver } = await completePayment(paymentId);
    if (isOver) {
      showFailure('failed', { reason: 'offer_over', message: 'The offer had ended. The payment is refunded.' });
      return { state: 'failed' };
    }
    show('paid', '### Paid');
    return { state: 'paid' };
  }
  const { reason, message } = outcome;
  await failPayment({ paymentId, reason, message });
  showFailure('failed', { reason, message });
  return { state: 'failed' };
}
