import { setTimeout as sleep } from 'node:timers/promises';
import { logger } from '../logger';

/** `interactive`: a user waits for the answer, as in a purchase. `background`: renewals, look-ups, reconciliation. */
export type Lane = 'interactive' | 'background';

/** The rate limit of a provider's account. All workers and API processes share it. */
export interface Pace {
  /** Resolves when a request may be sent. Throws `NoTurnError` if the wait is too long. */
  takeTurn(lane: Lane): Promise<void>;
  /** Stops all requests of all processes for some seconds, because the provider asks for a pause. */
  hold(seconds: number): Promise<void>;
}

/** The request was not sent: the rate limit is used up, or the provider has asked for a pause. */
export class NoTurnError extends Error {
  override name = 'NoTurnError';
  readonly code = noTurn;
}

export const noTurn = 'ENOTURN';

export interface PaceSettings {
  query: (text: string, values: unknown[]) => Promise<{ rows: object[] }>;
  /** The name of the provider's account. */
  account: string;
  /** The most requests that the provider accepts in any second. */
  perSecond: number;
  /** How long a request waits for its turn. */
  patienceMs?: Readonly<Record<Lane, number>>;
}

/** Shorter than the timeouts of the callers: a client's request, and the activity of a charge. */
const usualPatienceMs = { interactive: 5_000, background: 20_000 };
const shortestPauseMs = 25;
const longestPauseMs = 1_000;

interface Turn {
  isGranted: boolean;
  /** The shortest time after which another try can succeed. */
  waitSeconds: number;
}

/**
 * A token bucket in one row of PostgreSQL. The bucket holds a fifth of a second's requests, and the rest is added over the
 * second, so no second has more than `perSecond`, if that is 3 or more. Background requests leave half of the bucket to interactive ones.
 */
export function createPace({ query, account, perSecond, patienceMs = usualPatienceMs }: PaceSettings): Pace {
  const size = Math.max(2, Math.floor(perSecond / 5));
  const perSecondAdded = Math.max(perSecond - size, perSecond / 2);
  const least: Record<Lane, number> = { interactive: 1, background: 1 + size / 2 };

  const ask = async (lane: Lane): Promise<Turn> => {
    const values = [account, size, perSecondAdded, Math.min(least[lane], size)];
    const [turn] = (await query(takeText, values)).rows as Turn[];
    if (turn) return turn;
    await query(enterText, [account, size]);
    return ask(lane);
  };

  const waitForTurn = async (lane: Lane): Promise<void> => {
    const untilMs = Date.now() + patienceMs[lane];
    for (let pauseMs = shortestPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      const { isGranted, waitSeconds } = await ask(lane);
      if (isGranted) return;
      const waitMs = Math.max(waitSeconds * 1000, pauseMs) * (0.75 + Math.random() / 2);
      if (Date.now() + waitMs > untilMs) throw new NoTurnError(`the limit of ${account} is used up`);
      await sleep(waitMs);
    }
  };

  return {
    takeTurn: (lane) =>
      waitForTurn(lane).catch((error: Error) => {
        // The request was not sent, whatever the error is: callers may send it again.
        if (error instanceof NoTurnError) throw error;
        logger.warn(
          { account, reason: error.message },
          'a request to the card provider was not sent: its rate limit could not be read',
        );
        throw new NoTurnError(error.message, { cause: error });
      }),
    hold: async (seconds) => {
      logger.warn({ account, seconds }, 'the card provider asks for a pause');
      await query(holdText, [account, seconds]);
    },
  };
}

const enterText = 'INSERT INTO provider_paces (account, tokens) VALUES ($1, $2) ON CONFLICT DO NOTHING';

const takeText = `
  WITH found AS MATERIALIZED (
    SELECT account, tokens, filled_at, held_until, clock_timestamp() AS at FROM provider_paces WHERE account = $1 FOR UPDATE
  ), filled AS (
    SELECT *, least($2::float8, tokens + $3::float8 * greatest(0, extract(epoch FROM at - filled_at)::float8)) AS level
    FROM found
  ), turn AS (
    SELECT *, held_until <= at AND level >= $4::float8 AS is_granted FROM filled
  ), taken AS (
    UPDATE provider_paces p SET tokens = t.level - 1, filled_at = greatest(p.filled_at, t.at)
    FROM turn t WHERE p.account = t.account AND t.is_granted
  )
  SELECT is_granted AS "isGranted", greatest(extract(epoch FROM greatest(held_until, at) - at)::float8,
    ($4::float8 - level) / $3::float8) AS "waitSeconds" FROM turn`;

/** The bucket is empty after a pause, so that requests start again slowly. */
const holdText = `
  UPDATE provider_paces SET held_until = greatest(held_until, clock_timestamp() + make_interval(secs => $2)), tokens = 0,
    filled_at = greatest(filled_at, clock_timestamp() + make_interval(secs => $2))
  WHERE account = $1`;
