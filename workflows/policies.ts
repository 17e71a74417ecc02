import { type ActivityOptions, type LocalActivityOptions } from '@temporalio/workflow';

/** Timeouts and retries, named by what they are for. Business outcomes are results: what throws is retried. */

/** Short work on our own database, next to the workflow: no hop through the server. */
export const quick: LocalActivityOptions = {
  startToCloseTimeout: '10 seconds',
  retry: { initialInterval: '200 milliseconds', maximumInterval: '10 seconds' },
};

/** A call to a payment provider. The provider's own time-out is shorter, so that it answers `unknown` first. */
export const payment: ActivityOptions = {
  startToCloseTimeout: '10 seconds',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '1 minute' },
};

/** A step over all that is stored of an account, little or much: by its heartbeats it is known to live. */
export const accountData: ActivityOptions = {
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '1 minute' },
};

/** Between two looks at whether the account's subscriptions have ended: doubling. */
export const endingFirstMs = 250;
export const endingMaxMs = 600_000;
/** Many calls to a provider, one after another. The next round of the schedule is the retry. */
export const sweep: ActivityOptions = { startToCloseTimeout: '30 minutes', retry: { maximumAttempts: 3 } };

/** How long a first payment may wait for its payer (subscriptions 1). */
export const firstPaymentLimitMs = 23 * 3_600_000;

/** The same where a use of a voucher is held for it, which others wait for (subscriptions 7). */
export const voucherPaymentLimitMs = 3_600_000;

/** Between two looks at a charge whose outcome nobody knows: doubling. */
export const lookUpFirstMs = 1_000;
export const lookUpMaxMs = 3_600_000;

/** After so many steps a subscription's life goes on in a new run, whose history is short again. */
export const stepsPerRun = 200;
