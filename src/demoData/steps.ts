import { setTimeout } from 'node:timers/promises';
import { merchantTime } from '../adapters/clock';
import { logger } from '../adapters/logger';
import { transaction } from '../adapters/postgres/connection';
import { type Caller } from '../kit/auth';
import { type RequestFacts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { cancelSubscription, hasUnfinishedRuns, pauseSubscription } from '../subscriptions/changes/changes';
import { listPaymentHistory } from '../subscriptions/histories';
import { createPayment } from '../subscriptions/payments/payments';
import { refundPayment } from '../subscriptions/refunds/refunds';
import { createSubscription } from '../subscriptions/submissions';
import { listSubscriptions } from '../subscriptions/subscriptions';
import { moveTestClock } from '../testClock/testClock';
import { demoSteps, type DemoStep } from '../../workflows/messages';
import { feeOf, makeCatalogue } from './catalogue';
import { advanceFill, readFill, recordRows } from './demoData.model';
import { merchantOf, registered, requestOf } from './people';
import { cardNumberOf, type DemoAct, type DemoReader, emailOf, markOf, offsetOf, readers, voucherCode } from './script';

/** The steps of the workflow that makes demo data. A repeated step finds what is done already. */

/** Moves the merchant's test clock to the time of the step. */
export async function passDemoTime({ fillId, step }: DemoStep): Promise<void> {
  const fill = await readFill(fillId);
  const to = new Date(fill.beginsAt.getTime() + offsetOf(step));
  const { atMs } = await merchantTime(fill.merchantId);
  const merchant = await merchantOf(fill);
  if (atMs < to.getTime()) await unlessRefused(() => moveTestClock(merchant, { to }));
}

/** The purchases of new customers, and what earlier ones do. */
export async function takeDemoStep({ fillId, step }: DemoStep): Promise<void> {
  const fill = await readFill(fillId);
  const merchant = await merchantOf(fill);
  const mark = markOf(fill);
  if (step === 0) await makeCatalogue(merchant, `${mark}-catalogue`);
  const requestFor = (reader: DemoReader, what: string) => requestOf(`${mark}-${readers.indexOf(reader)}-${what}`);
  for (const reader of readers.filter(({ joins }) => joins === step))
    await unlessRefused(() => buy(merchant, { reader, mark }, requestFor(reader, 'buys')));
  for (const reader of readers)
    if (reader.then?.step === step) {
      const { then } = reader;
      await unlessRefused(() => act(merchant, reader, then, requestFor(reader, then.kind)));
    }
  await transaction(async (inTransaction) => {
    await recordRows(inTransaction, fill.id, mark);
    await advanceFill(inTransaction, fill.id, step + 1, demoSteps);
  });
}

/**
 * The merchant may change its catalogue or its clock meanwhile, so a step that the rules refuse is skipped. If something is
 * unavailable, the activity fails and is repeated.
 */
async function unlessRefused(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.status >= 500 || error.status === 429) throw new Error('a step of demo data waits', { cause: error });
    logger.info({ code: error.code }, 'a step of demo data was refused');
  }
}

/** `mark`: the referrer of the purchase, by which it is known as demo data. */
async function buy(
  merchant: Caller,
  { reader, mark }: { reader: DemoReader; mark: string },
  request: RequestFacts,
): Promise<void> {
  const caller = await registered(merchant, reader.name, request);
  if (await hasBought(caller)) return;
  const purchase = {
    access_fee_id: await feeOf(merchant, reader.buys),
    payment_method: 'card',
    number: cardNumberOf(reader.card ?? 'good'),
    card_name: reader.name,
    exp_month: 12,
    exp_year: 2049,
    cvv: '123',
    branding_id: undefined,
    referrer: mark,
    ...(reader.usesVoucher && { voucher_code: voucherCode }),
  } as const;
  const { gives } = reader;
  if (reader.buys !== 'Pass for two days') await createSubscription(caller, purchase, request);
  else if (gives === undefined) await createPayment(caller, purchase, request);
  else await createPayment(caller, { ...purchase, is_gift: true, receiver_email: emailOf(gives) }, request);
}

async function hasBought(caller: Caller): Promise<boolean> {
  const subscriptions = await listSubscriptions(caller, { limit: 1 });
  const payments = await listPaymentHistory(caller, { limit: 1 });
  return subscriptions.total + payments.total > 0;
}

async function act(merchant: Caller, reader: DemoReader, { kind, amount }: DemoAct, request: RequestFacts) {
  const caller = await registered(merchant, reader.name, request);
  if (kind === 'refund') return refundLatest(merchant, caller, amount, request);
  const { collection } = await listSubscriptions(caller, { limit: 1 });
  const id = collection[0]?.subscription_id;
  if (id === undefined) return undefined;
  if (kind === 'pause') return pauseSubscription(caller, id, {}, request);
  return cancelSubscription(caller, id, { at: kind === 'cancel' ? 'period_end' : 'now' }, request);
}

async function refundLatest(merchant: Caller, caller: Caller, amount: number | undefined, { requestId }: RequestFacts) {
  const { collection } = await listPaymentHistory(caller, { limit: 50 });
  const paid = collection.find(({ action_type: type }) => type === 'charge' || type === 'recurrent');
  const isDone = collection.some(({ action_type: type }) => type === 'refund');
  if (paid && !isDone) await refundPayment(merchant, paid.trx_token, { amount }, requestId);
}

const pollsMax = 20;
const pollEveryMs = 500;

/** Waits up to ten seconds until every run has done what is due. False if some have not. */
export async function awaitDemoRuns(fillId: number): Promise<boolean> {
  const { merchantId } = await readFill(fillId);
  for (let poll = 0; poll < pollsMax; poll += 1) {
    if (!(await hasUnfinishedRuns(merchantId))) return true;
    await setTimeout(pollEveryMs);
  }
  return false;
}
