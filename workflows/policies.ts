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

/** How long a first payment may wait for its payer (subscriptions 1). */
export const firstPaymentLimitMs = 23 * 3_600_000;

/** Between two looks at a charge whose outcome nobody knows: doubling. */
export const lookUpFirstMs = 1_000;
export const lookUpMaxMs = 3_600_000;
