import { type Migration } from './migration';

/** Which notifications of a card provider have been heard. What they say is not kept: the provider is asked. */
export const providerNotifications: Migration = {
  name: '0023-provider-notifications',
  up: `
    CREATE TABLE provider_notifications (
      provider text NOT NULL,
      id text NOT NULL,
      about text NOT NULL,
      received_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (provider, id)
    );
    CREATE INDEX provider_notifications_received ON provider_notifications (received_at);
    -- Revoked until further notice: what a dispute took may be given back, what the merchant took may not.
    ALTER TABLE accesses ADD COLUMN is_withdrawn boolean NOT NULL DEFAULT false;
  `,
};
