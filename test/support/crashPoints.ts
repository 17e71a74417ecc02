import { type Activities } from '../../activities';
import { size } from './size';

export const providerCalls = [
  'provider.charge',
  'provider.lookUpCharge',
  'provider.voidCharge',
  'provider.forgetCustomer',
] as const;

/** The steps of an export and of an erasure. */
export const privacySteps = [
  'mailExport',
  'endSubscriptions',
  'giveBackCharges',
  'revokeAccesses',
  'forgetCards',
  'provider.forgetCustomer',
  'leaveChats',
  'wipeAccount',
  'destroyKey',
] as const satisfies readonly CrashStep[];
export type PrivacyStep = (typeof privacySteps)[number];

/** The steps of one-time payments and refunds that a subscription's first payment does not take. */
export const paymentSteps = [
  'chargeCycle',
  'completePayment',
  'openPayment',
  'failPayment',
  'sendRefund',
  'lookUpRefund',
  'provider.refund',
  'provider.lookUpRefund',
] as const;
export type PaymentStep = (typeof paymentSteps)[number];

/** The steps of a subscription's life after its first payment. */
export const lifeSteps = [
  'startTrial',
  'chargeNextPeriod',
  'renewSubscription',
  'failRenewal',
  'deferRenewal',
  'holdSubscription',
  'remind',
  'turnRenewal',
  'endSubscription',
  'expireSubscription',
  'restoreSubscription',
  'planPause',
  'pauseSubscription',
  'extendPeriod',
  'priceResumption',
  'priceSwitch',
  'switchPlan',
  'refuseChange',
  'changeCard',
  'readRequests',
  'closeRequest',
  'takeOffer',
  'awaitDebit',
  'failFirstDebit',
  'returnDebit',
] as const satisfies readonly (keyof Activities)[];
export type LifeStep = (typeof lifeSteps)[number];

/** Activities that change nothing. A run begins with the first. The others run again every hour. */
export const readingSteps = [
  'readSubscription',
  'checkRow',
  'owesDebt',
  'reconcileCharges',
  'readStoreHistories',
] as const satisfies readonly (keyof Activities)[];

/** The steps that webhooks take. */
export const webhookSteps = ['deliverWebhooks'] as const satisfies readonly (keyof Activities)[];
export type WebhookStep = (typeof webhookSteps)[number];
/** The step of a scheduled report. */
export const reportSteps = ['mailReport'] as const satisfies readonly (keyof Activities)[];
/** The steps that make demo data. The last one changes nothing. */
export const demoDataSteps = [
  'passDemoTime',
  'takeDemoStep',
  'awaitDemoRuns',
] as const satisfies readonly (keyof Activities)[];
/** Those of a purchase in a store. */
export const storeSteps = [
  'validateExternalPayment',
  'syncStorePurchase',
  'acknowledgeStorePurchase',
] as const satisfies readonly (keyof Activities)[];
/** The step of a purchase that its store reported and no app presents. */
export const adoptionSteps = ['adoptStorePurchase'] as const satisfies readonly (keyof Activities)[];
export type StoreStep = (typeof storeSteps)[number] | (typeof adoptionSteps)[number];

export type CrashStep = keyof Activities | (typeof providerCalls)[number] | PaymentStep;
/** `before`: the step has no effect yet. `after`: it has its effect, and Temporal does not know. */
export type CrashPoint = `${CrashStep}:${'before' | 'after'}`;

/**
 * Where a worker is killed around these steps. The usual size has both points where money moves, and `after` elsewhere:
 * a step that has not begun leaves nothing behind that the next worker could mistake.
 */
export function pointsAround(steps: readonly CrashStep[]): CrashPoint[] {
  const isHeavy = size({ usual: false, full: true });
  return steps.flatMap((step): CrashPoint[] =>
    isHeavy || /charge|refund/i.test(step) ? [`${step}:before`, `${step}:after`] : [`${step}:after`],
  );
}

/** The same step, but the process is killed when it reaches the point for the nth time. */
export function crashAround<Input extends unknown[], Output>(
  point: CrashPoint | undefined,
  step: CrashStep,
  run: (...input: Input) => Promise<Output>,
  nth = 1,
): (...input: Input) => Promise<Output> {
  let times = 0;
  return async (...input) => {
    // A number of its own, because other activities can run at the same time.
    const time = (times += 1);
    if (point === `${step}:before` && time === nth) await crash();
    const result = await run(...input);
    if (point === `${step}:after` && time === nth) await crash();
    return result;
  };
}

/** Never returns: nothing must happen until the signal arrives. */
export function crash(): Promise<never> {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => undefined);
}
