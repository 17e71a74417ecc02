import { type Migration } from './migration';

/** How a subscription stood after each transition: what the run is told that asks for the same step again. */
export const standingOfSteps: Migration = {
  name: '0059-standing-of-steps',
  up: `
    ALTER TABLE subscription_events ADD COLUMN standing jsonb;
  `,
};
