import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';

/** Every setting comes from the environment, is read once, and is checked here: an error names the variable. */

const port = (fallback: number) => z.coerce.number().int().min(0).max(65_535).default(fallback);
const count = (fallback: number) => z.coerce.number().int().min(1).default(fallback);
const list = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
  );

const loopback = ['127.0.0.1', 'localhost', '[::1]'];

/** Of another service: https, or plain on this machine. */
const serviceAddress = z
  .url()
  .refine((text) => /^https:/i.test(text) || loopback.includes(new URL(text).hostname), 'must be an https address');

/** Where people may sign in: `google`, `facebook`, or any OpenID Connect provider by its `issuer`. */
const SocialProviderSettings = z.object({
  name: z.string().regex(/^[a-z][a-z0-9-]{0,30}$/, 'must be a word of lower-case letters'),
  client_id: z.string().min(1),
  client_secret: z.string().min(1),
  issuer: serviceAddress.optional(),
  /** Facebook's, whose addresses carry a version that ends. */
  authorization_endpoint: serviceAddress.optional(),
  token_endpoint: serviceAddress.optional(),
  profile_endpoint: serviceAddress.optional(),
});
export type SocialProviderSettings = z.output<typeof SocialProviderSettings>;

const Environment = z.object({
  ENVIRONMENT: z.enum(['test', 'production']).default('test'),
  NODE_ENV: z.string().optional(),
  HOST: z.string().default('127.0.0.1'),
  PORT: port(8080),
  METRICS_PORT: port(9464),
  WORKER_METRICS_PORT: port(0),
  BASE_URL: z.url().optional(),
  DATABASE_URL: z.string().default('postgres://paywall:paywall@127.0.0.1:5433/paywall'),
  DATABASE_POOL: count(10),
  TEMPORAL_ADDRESS: z.string().default('127.0.0.1:7233'),
  TEMPORAL_NAMESPACE: z.string().default('default'),
  TEMPORAL_TASK_QUEUE: z.string().default('paywall'),
  TEMPORAL_UI_URL: z.url().optional(),
  WORKFLOW_BUNDLE: z.string().optional(),
  /** The folder of the browser's scripts, compiled; by default where the build puts them. */
  PAGE_SCRIPTS: z.string().optional(),
  SMTP_URL: z.url().optional(),
  /** The address that mails come from; by default `no-reply` at the host of BASE_URL. */
  MAIL_FROM: z.email().optional(),
  PLATFORM_CLIENT_ID: z.string().default('platform'),
  MERCHANT_SIGNUP: z.enum(['open', 'closed']).default('open'),
  /** A JSON list; each provider's own settings name `BASE_URL/accounts/social/<name>/callback` as where it sends people back. */
  SOCIAL_PROVIDERS: z.string().default('[]').transform(readJson).pipe(z.array(SocialProviderSettings)),
  CARD_PROVIDER: z.enum(['sandbox', 'stripe']).default('sandbox'),
  STRIPE_SECRET_KEY: z.string().optional(),
  /** Of the webhook endpoint `BASE_URL/payments/stripe/notifications`. */
  STRIPE_WEBHOOK_SECRET: z.string().optional(),
  /** Another address of Stripe's API, for tests. */
  STRIPE_API_BASE: serviceAddress.optional(),
  /** Whether card numbers may pass through this service: only for who is certified for it (PCI DSS, SAQ D). */
  STRIPE_RAW_CARDS: z.stringbool().default(false),
  /** A TrueType file for receipts: without it they know the letters of Western Europe only. */
  RECEIPT_FONT: z.string().optional(),
  /** The app stores' own addresses; another only where something speaks for a store, as the store simulator does. */
  APPLE_API_BASE: serviceAddress.optional(),
  /** A file with the certificates, in PEM, that Apple's signatures must lead back to; by default Apple's own. */
  APPLE_ROOT_CERTIFICATES: z.string().refine(existsSync, 'there is no such file').optional(),
  GOOGLE_API_BASE: serviceAddress.default('https://androidpublisher.googleapis.com'),
  GOOGLE_TOKEN_URL: serviceAddress.default('https://oauth2.googleapis.com/token'),
  GOOGLE_KEYS_URL: serviceAddress.default('https://www.googleapis.com/oauth2/v3/certs'),
  AMAZON_API_BASE: serviceAddress.default('https://appstore-sdk.amazon.com'),
  /** Where else than at Amazon the certificates of its notifications may lie. */
  AMAZON_CERTIFICATE_BASE: serviceAddress.optional(),
  ROKU_API_BASE: serviceAddress.default('https://apipub.roku.com'),
  ROKU_KEYS_URL: serviceAddress.default('https://assets.cs.roku.com/keys/partner-jwks.json'),
  TRUSTED_PROXIES: list,
  /** A database of cities in MaxMind's format (`.mmdb`): without one, no visitor's region and city are known. */
  GEOIP_DATABASE: z.string().refine(existsSync, 'there is no such file').optional(),
  /** How long `/health/ready` says no before a stopping process refuses connections: what a balancer needs to notice. */
  SHUTDOWN_DELAY_SECONDS: z.coerce.number().min(0).max(20).default(0),
  RATE_LIMIT_CREDENTIALS: count(20),
  RATE_LIMIT_NORMAL: count(600),
  /** Wrong passwords and the like from one address in ten minutes before it has to wait. */
  RATE_LIMIT_FAILURES: count(50),
  /** Mails an hour and account that somebody may ask for: activation, new password, pin code, each. */
  RATE_LIMIT_MAILS: count(3),
  /** Lets webhooks go to addresses inside private networks: for tests, and where merchants are not strangers. */
  WEBHOOK_ALLOW_PRIVATE: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
  JWT_KEYS: z.string().optional(),
  JWT_KEYS_FILE: z.string().optional(),
  ENCRYPTION_KEY: z.string().optional(),
  /** Secrets beside the database's hashes, the one in use first: `2:<secret>,1:<older secret>`. Whoever signs in moves on. */
  PASSWORD_PEPPER: z.string().default('').transform(readPeppers),
  /** Opens the codec server (`/codec`), where an operator's Temporal UI reads sealed payloads. */
  OPERATOR_TOKEN: z.string().min(32).optional(),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
});

/** Settings that may also be given as `NAME_FILE`, a path. */
const secrets = [
  'DATABASE_URL',
  'SMTP_URL',
  'SOCIAL_PROVIDERS',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'JWT_KEYS',
  'ENCRYPTION_KEY',
  'PASSWORD_PEPPER',
  'OPERATOR_TOKEN',
] as const;

/** What production does not start without (decisions 14). */
const requiredInProduction = [
  'DATABASE_URL',
  'TEMPORAL_ADDRESS',
  'SMTP_URL',
  'BASE_URL',
  'JWT_KEYS',
  'ENCRYPTION_KEY',
] as const;

const requiredWithStripe = ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'] as const;

function readConfig(environment: NodeJS.ProcessEnv) {
  const given: Record<string, string | undefined> = { ...environment };
  for (const name of secrets) given[name] ||= readSecretFile(name, environment[`${name}_FILE`]);
  for (const name of Object.keys(given)) if (given[name] === '') delete given[name];
  const parsed = Environment.safeParse(given);
  if (!parsed.success) throw new Error(parsed.error.issues.map(complaint).join('\n'));
  const settings = parsed.data;
  if (settings.ENVIRONMENT === 'production') refuseUnsafe(given, settings.CARD_PROVIDER);
  if (settings.CARD_PROVIDER === 'stripe') refuseAbsent('CARD_PROVIDER=stripe', requiredWithStripe, given);
  return {
    ...settings,
    /** Where new signing keys appear while the process runs; undefined when the keys came by value. */
    JWT_KEYS_FILE: environment['JWT_KEYS'] ? undefined : settings.JWT_KEYS_FILE,
    BASE_URL: (settings.BASE_URL ?? `http://${settings.HOST}:${settings.PORT}`).replace(/\/$/, ''),
    ENCRYPTION_KEY: encryptionKey(settings.ENCRYPTION_KEY),
    /** Others have the same key, and it outlives this process: what is sealed with it can be left to them. */
    ENCRYPTION_KEY_IS_SHARED: settings.ENCRYPTION_KEY !== undefined,
  };
}

function complaint(issue: z.core.$ZodIssue): string {
  return `${issue.path.join('.')}: ${issue.message}`;
}

/** A secret that passwords are mixed with before they are hashed, under the version that their hashes name. */
export interface Pepper {
  version: number;
  secret: string;
}

const shortestPepper = 16;

function readPeppers(text: string, context: z.RefinementCtx): Pepper[] {
  const peppers = text
    .split(',')
    .filter((part) => part.trim() !== '')
    .map((part) => /^\s*(\d{1,6}):(\S+)\s*$/.exec(part))
    .map((found) => ({ version: Number(found?.[1]), secret: found?.[2] ?? '' }));
  const versions = new Set(peppers.map(({ version }) => version));
  if (versions.size < peppers.length || peppers.some(({ secret }) => secret.length < shortestPepper))
    context.addIssue({
      code: 'custom',
      message: `must be like 2:<secret>,1:<older secret>, each of ${shortestPepper} characters or more`,
    });
  return peppers;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readSecretFile(name: string, path: string | undefined): string | undefined {
  if (path === undefined || path === '') return undefined;
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    throw new Error(`${name}_FILE: ${path} cannot be read`);
  }
}

function refuseUnsafe(given: Record<string, string | undefined>, cardProvider: string): void {
  refuseAbsent('ENVIRONMENT=production', requiredInProduction, given);
  if (cardProvider === 'sandbox') throw new Error('CARD_PROVIDER: production does not start with sandbox payments');
}

function refuseAbsent(needing: string, names: readonly string[], given: Record<string, string | undefined>): void {
  const absent = names.filter((name) => given[name] === undefined);
  if (absent.length > 0) throw new Error(`${needing} needs ${absent.join(', ')}`);
}

/** 32 bytes in base64. Without one, a process of the test environment makes its own: no stored answer outlives it. */
function encryptionKey(text: string | undefined): Buffer {
  const key = text === undefined ? randomBytes(32) : Buffer.from(text, 'base64');
  if (key.length !== 32) throw new Error('ENCRYPTION_KEY: must be 32 bytes in base64');
  return key;
}

export const config = readConfig(process.env);
