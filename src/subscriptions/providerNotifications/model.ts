import { type Transaction } from '../../adapters/postgres/connection';
import { execute, statement } from '../../adapters/postgres/statement';

interface Named {
  provider: string;
  id: string;
}

const knownStatement = statement(
  'provider_notification_known',
  'SELECT FROM provider_notifications WHERE provider = $1 AND id = $2',
);

export async function isKnown({ provider, id }: Named): Promise<boolean> {
  return (await knownStatement([provider, id])).length > 0;
}

/** False: another request has noted it in the meantime. */
export async function note(inTransaction: Transaction, { provider, id }: Named, about: string): Promise<boolean> {
  const noted = await execute(
    inTransaction,
    'INSERT INTO provider_notifications (provider, id, about) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING id',
    [provider, id, about],
  );
  return noted.length > 0;
}
