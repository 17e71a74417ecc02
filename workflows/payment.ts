import {
  allHandlersFinished,
  condition,
  defineSignal,
  defineUpdate,
  proxyLocalActivities,
  setHandler,
} from '@temporalio/workflow';
import { type Activities } from '../activities';
import { chargeOnce, listenForAnswers, waitForAnswer, type Answers, type Settled } from './charging';
import { accountErasedSignal, giveUpPaymentUpdate, type PaymentInput, type PaymentResult } from './messages';
import { show, showFailure } from './operator';
import { quick } from './policies';

const { completePayment, failPayment } = proxyLocalActivities<Activities>(quick);
const giveUp = defineUpdate<PaymentResult>(giveUpPaymentUpdate);
const accountErased = defineSignal(accountErasedSignal);

/** A one-time payment, from its submission to its outcome. This run is the only writer of the payment's state. */
export async function payment({ paymentId }: PaymentInput): Promise<PaymentResult> {
  const run: Run = { isGivenUp: false, answers: listenForAnswers() };
  setHandler(giveUp, () => giveUpRun(run), { description: 'Gives up a payment that waits for its payer.' });
  const erased = 'The account is gone: nobody is waited for any longer.';
  setHandler(accountErased, () => void (run.isGivenUp = true), { description: erased });
  run.result = await settle(paymentId, await payOnce(paymentId, run));
  await condition(allHandlersFinished);
  return run.result;
}

interface Run {
  isGivenUp: boolean;
  answers: Answers;
  result?: PaymentResult;
}

/** Who gives it up hears how it ended: the payer may have been faster. */
async function giveUpRun(run: Run): Promise<PaymentResult> {
  run.isGivenUp = true;
  await condition(() => run.result !== undefined);
  return run.result ?? { state: 'failed' };
}

/** Charged, and where the payer must authenticate, waited for. */
async function payOnce(paymentId: number, run: Run): Promise<Settled> {
  const outcome = await chargeOnce({ paymentId });
  if (outcome.outcome !== 'requires_action') return outcome;
  show('incomplete', '### Waiting for the payer\nThe card needs an authentication.');
  return waitForAnswer({ paymentId }, outcome, run.answers, {
    now: () => Date.now(),
    moves: () => 0,
    isGivenUp: () => run.isGivenUp,
  });
}

async function settle(paymentId: number, outcome: Settled): Promise<PaymentResult> {
  if (outcome.outcome === 'paid') {
    // Older code answered nothing.
    const { isOver } = (await completePayment(paymentId)) ?? {};
    if (isOver) {
      showFailure('failed', { reason: 'offer_over', message: 'The offer had ended: the money goes back.' });
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
