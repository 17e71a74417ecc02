import { type Migration } from './migration';

/** A page of a long list is read from an index in its order, whatever the list is narrowed to. */
export const pagesByIndex: Migration = {
  name: '0054-pages-by-index',
  up: `
    CREATE INDEX data_captures_merchant ON data_captures (merchant_id, id DESC);
    CREATE INDEX audit_log_action ON audit_log (merchant_id, action, sequence DESC);
    CREATE INDEX audit_log_actor ON audit_log (merchant_id, actor_account_id, sequence DESC);
    CREATE INDEX subscriptions_merchant_state ON subscriptions (merchant_id, state, id DESC);
    CREATE INDEX subscriptions_merchant_item ON subscriptions (merchant_id, item_id, id DESC);
  `,
};
