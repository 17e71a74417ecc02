import { type ActivityOptions, type LocalActivityOptions } from '@temporalio/workflow';

/** Timeouts and retry policies, named after their use. A business outcome is a result. An error is retried. */

/**
 * A short step on our own database, as a local activity: it needs no round trip to the Temporal server. The database
 * ends a worker's statement earlier (WORKER_STATEMENT_SECONDS), so that a retry never runs at the same time as the
 * first attempt.
 */
export const quick: LocalActivityOptions = {
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '200 milliseconds', maximumInterval: '10 seconds' },
};

/**
 * A call to a payment provider. The provider's own timeout is shorter, so that the activity returns `unknown` first,
 * and its result is written even if the database is slow. Heartbeats reveal a dead worker, and another one continues
 * within ten seconds.
 */
export const payment: ActivityOptions = {
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: '3 seconds',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '1 minute' },
};

/** A step over all data of an account, of any size. Heartbeats show that it is still working. */
export const accountData: ActivityOptions = {
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '1 minute' },
};

/** A report over any range, and its mails. */
export const report: ActivityOptions = {
  startToCloseTimeout: '15 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '5 minutes' },
};

/** A few calls to an app store. Each has a shorter timeout, and an unavailable store is a result. */
export const store: ActivityOptions = {
  startToCloseTimeout: '45 seconds',
  heartbeatTimeout: '5 seconds',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '1 minute' },
};

/** The waits between two attempts to reach a store: doubling, with jitter, without a limit of attempts. */
export const storeFirstMs = 2_000;
export const storeMaxMs = 600_000;

/**
 * The time in which an app can claim its purchase. After it, the account that the store names receives the purchase.
 */
export const unclaimedMs = 600_000;

/** A purchase's run continues as a new one after this many checks, so that its history stays short. */
export const looksMax = 100;

/** The waits between two checks whether the account's subscriptions have ended. They double. */
export const endingFirstMs = 250;
export const endingMaxMs = 600_000;

/** Many calls to a provider, one after another. The next scheduled run repeats what failed. */
export const sweep: ActivityOptions = {
  startToCloseTimeout: '30 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { maximumAttempts: 3 },
};

/** The time that a first payment may wait for its payer. */
export const firstPaymentLimitMs = 23 * 3_600_000;

/** The same time for a first payment that reserves a use of a voucher, because other customers wait for that use. */
export const voucherPaymentLimitMs = 3_600_000;

/** The time that a change waits for a subscriber who must authenticate its charge. Another message ends the wait. */
export const presentPayerLimitMs = 15 * 60_000;

/**
 * The time for which a charge that a customer waits for is sent again while the provider does not accept it. Then it
 * finally fails, because a customer must not be charged hours later.
 */
export const unsentLimitMs = 14 * 60_000;

/** The same limit for a renewal. After it, the schedule retries the renewal. */
export const unsentRenewalLimitMs = 60_000;

/** The waits between two attempts of a renewal that the provider does not accept. They double. */
export const deferralFirstMs = 5 * 60_000;
export const deferralMaxMs = 3_600_000;

/** The waits between two lookups of a charge with an unknown outcome. They double. */
export const lookUpFirstMs = 1_000;
export const lookUpMaxMs = 3_600_000;

/** The longest wait between two lookups of a refund that the customer's bank decides within days. */
export const pendingRefundMaxMs = 12 * 3_600_000;

/**
 * The interval of requests to the provider about a direct debit in progress. Usually its notification arrives first.
 */
export const debitLookMs = 24 * 3_600_000;

/** A subscription's run continues as a new one after this many steps, so that its history stays short. */
export const stepsPerRun = 200;

/**
 * A round of deliveries to one endpoint. A round ends by itself after some seconds. Heartbeats reveal a dead worker,
 * and another one continues.
 */
export const webhook: ActivityOptions = {
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: '5 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
};

/** An endpoint's run continues as a new one after this many rounds, so that its history stays short. */
export const roundsPerRun = 50;

/** A step of demo data: a few purchases, one after another. Heartbeats reveal a dead worker. */
export const demo: ActivityOptions = {
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '5 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
};

/** How many times a step of demo data waits ten seconds for the runs of the subscriptions. */
export const demoPollsMax = 30;
