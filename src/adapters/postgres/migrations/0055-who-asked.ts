import { type Migration } from './migration';

/** Who asked for a step of a subscription's life, in which request, and who acted as them. Ids only. */
export const whoAsked: Migration = {
  name: '0055-who-asked',
  up: `
    ALTER TABLE subscription_events ADD COLUMN acted_by uuid;
    ALTER TABLE subscription_events ADD COLUMN request_id text;
  `,
};
