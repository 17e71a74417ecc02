import { type ActivityOptions, type LocalActivityOptions } from '@temporalio/workflow';

/** Timeouts and retries, named by what they are for. Business outcomes are results: what throws is retried. */

/** Short work on our own database, next to the workflow: no hop through the server. */
export const quick: LocalActivityOptions = {
  startToCloseTimeout: '10 seconds',
  retry: { initialInterval: '200 milliseconds', maximumInterval: '10 seconds' },
};

/**
 * A call to a payment provider. The provider's own time-out is shorter, so that it answers `unknown` first. A worker that
 * died is noticed by its heartbeats, so that another one goes on in less than ten seconds.
 */
export const payment: ActivityOptions = {
  startToCloseTimeout: '10 seconds',
  heartbeatTimeout: '3 seconds',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '1 minute' },
};

/** A step over all that is stored of an account, little or much: by its heartbeats it is known to live. */
export const accountData: ActivityOptions = {
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '1 minute' },
};

/** A report over whatever range, and its mails. */
export const report: ActivityOptions = {
  startToCloseTimeout: '15 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '5 minutes' },
};

/** Calls to an app store, a few at most: each has a shorter time-out of its own, and an outage is an answer. */
export const store: ActivityOptions = {
  startToCloseTimeout: '45 seconds',
  heartbeatTimeout: '5 seconds',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '1 minute' },
};

/** Between two tries to reach a store that is away: doubling, with jitter, for as long as it takes. */
export const storeFirstMs = 2_000;
export const storeMaxMs = 600_000;

/** An app that was closed too early may present what it bought for this long, before it is given to whom its store names. */
export const unclaimedMs = 600_000;

/** After this many looks a purchase's run goes on as a new one, so that no history grows for years. */
export const looksMax = 100;

/** Between two looks at whether the account's subscriptions have ended: doubling. */
export const endingFirstMs = 250;
export const endingMaxMs = 600_000;
/** Many calls to a provider, one after another. The next round of the schedule is the retry. */
export const sweep: ActivityOptions = {
  startToCloseTimeout: '30 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { maximumAttempts: 3 },
};

/** How long a first payment may wait for its payer (subscriptions 1). */
export const firstPaymentLimitMs = 23 * 3_600_000;

/** The same where a use of a voucher is held for it, which others wait for (subscriptions 7). */
export const voucherPaymentLimitMs = 3_600_000;

/** Between two looks at a charge whose outcome nobody knows: doubling. */
export const lookUpFirstMs = 1_000;
export const lookUpMaxMs = 3_600_000;

/** After so many steps a subscription's life goes on in a new run, whose history is short again. */
export const stepsPerRun = 200;
/** One attempt to deliver a webhook: the sender's own limit is 10 seconds. */
export const webhook: ActivityOptions = {
  startToCloseTimeout: '15 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
};

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
/** Between the attempts to deliver a webhook: three days together. */
export const webhookWaitsMs: readonly number[] = [
  5 * second,
  minute,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  12 * hour,
  12 * hour,
  12 * hour,
  12 * hour,
  6 * hour + 23 * minute + 55 * second,
];

/** After so many deliveries an endpoint's run goes on in a new one, whose history is short again. */
export const deliveriesPerRun = 100;
/** Before a delivery is begun again whose run was ended from outside. */
export const brokenDeliveryPauseMs = minute;
