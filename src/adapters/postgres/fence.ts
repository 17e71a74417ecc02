import pg from 'pg';
import { config } from '../../config';
import { currentMerchant, inThisContext } from './requestWork';

/**
 * The second fence between merchants. Each statement carries its merchant in its conditions. In addition, the policies of
 * `290-fence.sql` hide the rows of other merchants while the setting `paywall.merchant` of the connection names one.
 */

/**
 * Keeps the setting of a connection equal to the merchant of the statement that is sent. The setting is sent in the same
 * packet as the statement, so it costs no round trip. A transaction keeps the merchant of its first statement.
 */
export function fence(client: pg.ClientBase): void {
  // Behind a pooler in transaction mode, the next user of the connection would have the setting.
  if (config.DATABASE_IS_POOLED) return;
  const fenced = client as unknown as FencedClient;
  fenced.pipeline = true;
  const prototype = Object.getPrototypeOf(client) as FencedClient;
  let known: number | undefined;
  fenced.query = (...sent: unknown[]) => {
    const wanted = currentMerchant();
    if (wanted !== known && fenced.getTransactionStatus() === 'I') {
      known = wanted;
      // Without an answer the connection is broken, and the statement behind it fails too.
      const end = (error: Error | null) => error && fenced.connection.stream.destroy();
      prototype.query.call(fenced, `SET paywall.merchant = '${wanted ?? ''}'`, end);
    }
    return prototype.query.apply(fenced, sent);
  };
}

/** The merchant of the caller, for a transaction on a connection without `fence`. */
export const localSetting = (): string => `SET LOCAL paywall.merchant = '${currentMerchant() ?? ''}'`;

interface FencedClient {
  pipeline: boolean;
  query: (...sent: unknown[]) => unknown;
  getTransactionStatus: () => string | null;
  connection: { stream: { destroy: () => void } };
}

/** A pool that runs each statement in the context of its caller, also if the caller has waited for a connection. */
export class ContextPool extends pg.Pool {
  override connect(): Promise<pg.PoolClient>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | undefined {
    if (!callback) return super.connect();
    super.connect(inThisContext(callback));
    return undefined;
  }
}

type ConnectCallback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: unknown) => void,
) => void;
