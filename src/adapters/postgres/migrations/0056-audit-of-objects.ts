import { type Migration } from './migration';

/** What was done to one object, newest first: a customer's timeline. */
export const auditOfObjects: Migration = {
  name: '0056-audit-of-objects',
  up: `
    CREATE INDEX audit_log_object ON audit_log (merchant_id, object_type, object_id, created_at DESC);
  `,
};
