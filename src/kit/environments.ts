import { isLoopback } from './settings';

/** The settings that each environment requires or refuses. */

type EnvironmentName = 'test' | 'production';

/** The settings by name, before they are parsed. */
export type GivenSettings = Record<string, string | undefined>;

interface Exposure {
  ENVIRONMENT?: EnvironmentName | undefined;
  HOST: string;
  TEST_ON_PUBLIC_HOST: boolean;
}

/** Production does not start without these. */
export const requiredInProduction = [
  'DATABASE_URL',
  'TEMPORAL_ADDRESS',
  'SMTP_URL',
  'BASE_URL',
  'JWT_KEYS',
  'ENCRYPTION_KEY',
] as const;

/**
 * The test environment accepts test cards as payments, so it must be chosen on purpose to be reachable from outside.
 */
export function chooseEnvironment({ ENVIRONMENT, HOST, TEST_ON_PUBLIC_HOST }: Exposure): EnvironmentName {
  if (ENVIRONMENT === 'production' || isLoopback(HOST)) return ENVIRONMENT ?? 'test';
  if (ENVIRONMENT === undefined)
    throw new Error(`ENVIRONMENT: choose production or test, because other machines reach HOST=${HOST}`);
  if (!TEST_ON_PUBLIC_HOST)
    throw new Error(
      `TEST_ON_PUBLIC_HOST: must be true for ENVIRONMENT=test, because other machines reach HOST=${HOST}`,
    );
  return ENVIRONMENT;
}

/** Production charges real cards only. */
export function refuseUnsafe(given: GivenSettings, cardProvider: string): void {
  refuseAbsent('ENVIRONMENT=production', requiredInProduction, given);
  if (cardProvider === 'sandbox') throw new Error('CARD_PROVIDER: production does not start with sandbox payments');
  for (const name of ['SANDBOX_API_BASE', 'SANDBOX_FORM_BASE'])
    if (given[name] !== undefined) throw new Error(`${name}: production does not start with an address of the sandbox`);
}

export function refuseAbsent(needing: string, names: readonly string[], given: GivenSettings): void {
  const absent = names.filter((name) => given[name] === undefined);
  if (absent.length > 0) throw new Error(`${needing} needs ${absent.join(', ')}`);
}
