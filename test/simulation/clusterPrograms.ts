import { findHaproxy } from '../../scripts/embedded/haproxy';
import { findPgBouncer } from '../../scripts/embedded/pgbouncer';
import { hasTemporalServer } from '../../scripts/embedded/temporalServerPrograms';

/** The programs that are not in the packages of npm. */
export interface Programs {
  haproxy: string;
  pgbouncer: string;
  temporal: TemporalKind;
}

/** `server`: the server of an installation, with its store in PostgreSQL. `development`: the server of `npm start`. */
export const temporalKinds = ['server', 'development'] as const;
export type TemporalKind = (typeof temporalKinds)[number];

export function temporalOf(text: string): TemporalKind {
  const kind = temporalKinds.find((each) => each === text);
  if (kind === undefined) throw new Error(`--temporal must be ${temporalKinds.join(' or ')}, and is ${text}.`);
  return kind;
}

/** Throws with all programs that are missing, and how to get them. */
export function findPrograms(temporal: TemporalKind): Programs {
  const [haproxy, pgbouncer] = [findHaproxy(), findPgBouncer()];
  const lacksTemporal = temporal === 'server' && !hasTemporalServer();
  if (haproxy !== undefined && pgbouncer !== undefined && !lacksTemporal) return { haproxy, pgbouncer, temporal };
  const absent = [...(haproxy === undefined ? ['haproxy'] : []), ...(pgbouncer === undefined ? ['pgbouncer'] : [])];
  const lines = [...(absent.length > 0 ? [lacking(absent)] : []), ...(lacksTemporal ? [withoutTemporal] : [])];
  throw new Error(lines.join('\n'));
}

function lacking(packages: readonly string[]): string {
  const settings = packages.map((name) => name.toUpperCase()).join(' and ');
  return (
    `The cluster needs ${packages.join(' and ')}. On Debian: apt-get install ${packages.join(' ')}. ` +
    `Elsewhere set ${settings} to the path of the program.`
  );
}

const withoutTemporal =
  'The cluster needs a Temporal server that keeps its data in PostgreSQL. Go 1.21 or newer builds it once: install Go, or ' +
  'set GO to its path. Programs of a Temporal release work as well: set TEMPORAL_SERVER and TEMPORAL_SQL_TOOL to them. With ' +
  '--temporal development, the cluster uses the server of `npm start`, which has a store of its own.';

/**
 * What workers and Temporal give up. One machine runs what an installation spreads over several: without this, the work
 * behind the requests takes the processor time that an API needs to answer them or to start.
 */
export const behindRequests = 10;
