import { type Migration } from './migration';

/** A refund that a bank did not take after all counts no more, on the day on which it had counted. */
export const refundsThatFailLater: Migration = {
  name: '0060-refunds-that-fail-later',
  up: `
    CREATE FUNCTION uncount_refund() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM count_sales('refunds', c, coalesce(OLD.settled_at, OLD.created_at), OLD.amount_minor, -1)
      FROM charges c WHERE c.id = OLD.charge_id;
      RETURN NULL;
    END $$;
    CREATE TRIGGER refunds_failed_uncounted AFTER UPDATE OF state ON refunds FOR EACH ROW
      WHEN (OLD.state = 'refunded' AND NEW.state <> 'refunded') EXECUTE FUNCTION uncount_refund();
  `,
};
