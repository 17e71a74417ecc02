import { type Migration } from './migration';

/** Whether a card was declined is asked of each one that may pay without being typed. */
export const declinedCards: Migration = {
  name: '0053-declined-cards',
  up: `
    CREATE INDEX charges_declined_card ON charges (card_id) WHERE status = 'declined';
    -- What was never paid by is the default no longer, but for a trial that is still to be charged.
    DELETE FROM default_cards d WHERE EXISTS (
        SELECT FROM charges c WHERE c.card_id = d.card_id AND c.status = 'declined')
      AND NOT EXISTS (SELECT FROM charges c WHERE c.card_id = d.card_id AND c.status = 'paid')
      AND NOT EXISTS (SELECT FROM subscriptions s WHERE s.card_id = d.card_id
        AND s.state IN ('incomplete', 'trialing', 'active', 'past_due', 'on_hold', 'paused'));
  `,
};
