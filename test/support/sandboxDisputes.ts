import { control } from './providerBooks';
import { type TestApp } from './startApp';

/** A notification of the sandbox, as it is sent. */
export interface StoredNotification {
  id: string;
  body: string;
  signature: string;
}

/** The sandbox sends its notifications to the application from now on. */
export const listenToSandbox = (app: Pick<TestApp, 'address'>) =>
  control('notification-address', { url: `${app.address}/payments/sandbox/notifications` });

/** The sandbox only stores its notifications from now on. */
export const silenceSandbox = () => control('notification-address', { url: null });

/** All notifications of the account, oldest first. */
export const storedNotifications = async () => (await control('notifications')) as StoredNotification[];

/** The sandbox sends notifications in this order. Returns the statuses of the answers. */
export const deliver = async (ids: readonly string[]) =>
  ((await control('deliveries', { ids })) as { statuses: number[] }).statuses;

/** The bank takes a charge back. Returns the reference of the dispute. */
export const dispute = async (reference: string, more: object = {}) =>
  ((await control('disputes', { reference, ...more })) as { reference: string }).reference;

export const decideDispute = (reference: string, status: 'won' | 'lost') =>
  control('dispute-decisions', { reference, status });

/** The reference and the token of the newest charge of a subscription. */
export async function chargeOf({ pool }: Pick<TestApp, 'pool'>, subscriptionId: string) {
  const { rows } = await pool.query<{ reference: string; card: string }>(
    `SELECT c.reference, k.token AS card FROM charges c JOIN subscriptions s ON s.id = c.subscription_id
       JOIN cards k ON k.id = c.card_id WHERE s.token = $1 ORDER BY c.id DESC LIMIT 1`,
    [subscriptionId],
  );
  if (!rows[0]) throw new Error(`the subscription ${subscriptionId} has no charge`);
  return rows[0];
}
