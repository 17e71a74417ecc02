import { z } from 'zod';
import { databaseSettings } from './kit/databaseSettings';
import { chooseEnvironment, type GivenSettings, refuseAbsent, refuseUnsafe } from './kit/environments';
import { readJson } from './kit/json';
import { limitSettings } from './kit/limitSettings';
import {
  commaSeparated,
  count,
  existingFile,
  explainIssue,
  port,
  readEncryptionKey,
  readMailBudgets,
  readPeppers,
  readSecretFile,
  serviceAddress,
} from './kit/settings';
import { paymentSettings } from './kit/paymentSettings';
import { storeSettings } from './kit/storeSettings';
import { connectNames } from './kit/stripeSettings';
import { taxSettings } from './kit/taxSettings';
import { temporalSettings } from './kit/temporalSettings';
import { tracingSettings } from './kit/tracingSettings';

/** Every setting is an environment variable that is read once. An invalid value stops the start, and the error names it. */

/** A sign-in provider: `google`, `facebook`, or any OpenID Connect provider by its `issuer`. */
const SocialProviderSettings = z.object({
  name: z.string().regex(/^[a-z][a-z0-9-]{0,30}$/, 'must be a word of lower-case letters'),
  client_id: z.string().min(1),
  client_secret: z.string().min(1),
  issuer: serviceAddress.optional(),
  /** For Facebook, whose addresses contain an API version that expires. */
  authorization_endpoint: serviceAddress.optional(),
  token_endpoint: serviceAddress.optional(),
  profile_endpoint: serviceAddress.optional(),
});
export type SocialProviderSettings = z.output<typeof SocialProviderSettings>;

/** The settings and their meanings. docs/settings.md is generated from them. */
export const Environment = z.object({
  ENVIRONMENT: z
    .enum(['test', 'production'])
    .optional()
    .describe(
      '`production` refuses to start with sandbox payments or without the settings that it needs. `test` is the default only if HOST is an address of this machine alone, such as 127.0.0.1.',
    ),
  TEST_ON_PUBLIC_HOST: z
    .stringbool()
    .default(false)
    .describe(
      'The test environment may listen on a HOST that other machines reach. Its payments are not real, and its test mailbox shows mails.',
    ),
  NODE_ENV: z.string().optional().describe('Express reads it. It has no other effect.'),
  HOST: z.string().default('127.0.0.1').describe('The address that the API listens on.'),
  PORT: port(8080).describe('The port of the API. 0 chooses a free port.'),
  TLS_CERT: existingFile
    .optional()
    .describe('A PEM file with the certificate chain of the API. With TLS_KEY the API also listens on TLS_PORT.'),
  TLS_KEY: existingFile.optional().describe('A PEM file with the private key of TLS_CERT.'),
  TLS_PORT: port(8443).describe('The port for https and wss. 0 chooses a free port.'),
  METRICS_PORT: port(9464).describe('The port of the Prometheus metrics of the API. 0 chooses a free port.'),
  WORKER_METRICS_PORT: port(0).describe('The port of the Prometheus metrics of a worker. 0: the worker serves none.'),
  WORKER_HEALTH_PORT: port(0).describe(
    'The port at which a worker answers `/health/live` and `/health/ready`, for probes. 0: the worker answers none.',
  ),
  BASE_URL: z
    .url()
    .optional()
    .describe(
      'The public address of the service, used in links and mails. By default the address at which the API listens.',
    ),
  ...databaseSettings,
  ...temporalSettings,
  OUTBOX_CONCURRENCY: count(20).describe('Messages of the outbox that one API process sends to Temporal in parallel.'),
  OUTBOX_BULK_PER_SECOND: count(10).describe(
    'The rate per second of messages to many workflows at once, such as a moved test clock.',
  ),
  WORKER_WORKFLOW_TASKS: count(20).describe('Workflow tasks that one worker runs in parallel.'),
  WORKER_ACTIVITIES: count(50).describe(
    'Interactive activities that one worker runs in parallel: first charges, changes, claims of store purchases.',
  ),
  WORKER_BACKGROUND_ACTIVITIES: count(4).describe(
    'Background activities that one worker runs in parallel: renewals, checks of store purchases, exports, reports.',
  ),
  WORKER_WEBHOOKS: count(100).describe(
    'Webhook endpoints that one worker sends to in parallel. Each receives up to 48 requests at the same time.',
  ),
  WORKER_QUEUES: z
    .string()
    .default('interactive,background,webhooks')
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(z.enum(['interactive', 'background', 'webhooks'])).min(1))
    .describe(
      'The queues that a worker works on, separated by commas: `interactive` (workflows and what customers wait for), `background`, `webhooks`. Each queue needs at least one worker.',
    ),
  WORKFLOW_BUNDLE: z
    .string()
    .optional()
    .describe('The file of the bundled workflows. By default the file of the build.'),
  PAGE_SCRIPTS: z
    .string()
    .optional()
    .describe("The folder of the compiled browser scripts. By default the build's folder."),
  SMTP_URL: z
    .url()
    .optional()
    .describe('The mail server. Without one, the test environment keeps mails in its test mailbox.'),
  MAIL_BUDGETS: z
    .string()
    .default('0:200,1:500,7:2000,30:10000,90:100000')
    .transform(readMailBudgets)
    .describe(
      'Mails a day of a merchant, by its age in days: `days:mails`, separated by commas, beginning with day 0. More mails wait for the next day. docs/operating.md says which mails count.',
    ),
  MAIL_FROM: z.email().optional().describe('The sender of mails. By default `no-reply` at the host of BASE_URL.'),
  PASSKEY_RP_ID: z
    .string()
    .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)*$/, 'must be a host name')
    .optional()
    .describe(
      'The domain to which passkeys belong: the host of BASE_URL or a domain above it. By default the host of BASE_URL. A change makes all passkeys unusable.',
    ),
  PASSKEY_ORIGINS: commaSeparated.describe(
    'Further origins that may use passkeys, separated by commas: `https://` addresses of web apps under PASSKEY_RP_ID, and `android:apk-key-hash:` names of Android apps.',
  ),
  PLATFORM_CLIENT_ID: z
    .string()
    .refine((id) => id.toLowerCase() !== 'operator', 'must not be the client id of operators')
    .default('platform')
    .describe('The client id with which merchants register.'),
  MERCHANT_SIGNUP: z
    .enum(['open', 'approval', 'closed'])
    .optional()
    .describe(
      '`closed`: new merchants cannot register. `approval`: a new merchant can prepare its shop, and is open to customers once an operator has approved it. By default `closed` in production and `open` in the test environment.',
    ),
  SOCIAL_PROVIDERS: z
    .string()
    .default('[]')
    .transform(readJson)
    .pipe(z.array(SocialProviderSettings))
    .describe(
      'A JSON list of sign-in providers. Register `BASE_URL/accounts/social/<name>/callback` at each as the redirect address.',
    ),
  ...paymentSettings,
  RECEIPT_FONT: z
    .string()
    .optional()
    .describe(
      'A TrueType file for the signs that the packaged fonts of receipts and invoices lack, such as Tibetan. docs/tax.md lists the scripts that they have.',
    ),
  ...taxSettings,
  ...storeSettings,
  TRUSTED_PROXIES: commaSeparated.describe(
    'Addresses of the proxies in front of the API, separated by commas. Only these may name the address of a client.',
  ),
  GEOIP_DATABASE: existingFile
    .optional()
    .describe(
      "A database of cities in MaxMind's format (`.mmdb`). Without it, rules for regions and cities are refused.",
    ),
  SHUTDOWN_DELAY_SECONDS: z.coerce
    .number()
    .min(0)
    .max(20)
    .default(0)
    .describe('How long `/health/ready` answers 503 before a stopping API refuses connections. For load balancers.'),
  ...limitSettings,
  WEBHOOK_ALLOW_PRIVATE: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true')
    .describe(
      'Webhooks may be sent to addresses of private networks, and sign-in providers of companies may have them. For tests and for trusted merchants.',
    ),
  JWT_KEYS: z.string().optional().describe('The keys that sign access tokens: a JSON list of private JWKs.'),
  JWT_KEYS_FILE: z
    .string()
    .optional()
    .describe('A file with JWT_KEYS. `npm run keys:rotate` adds a key, and running processes read it again.'),
  ENCRYPTION_KEY: z
    .string()
    .optional()
    .describe(
      '32 bytes in base64. The key encrypts personal data in the database and in Temporal. All processes need the same key.',
    ),
  PASSWORD_PEPPER: z
    .string()
    .default('')
    .transform(readPeppers)
    .describe('Secrets mixed into password hashes, the current one first: `2:<secret>,1:<older secret>`.'),
  AUDIT_HEADS_FILE: z
    .string()
    .optional()
    .describe(
      'A file to which the API appends the heads of the audit logs, besides its log. Keep it where the database cannot be reached from.',
    ),
  OPERATOR_TOKEN: z
    .string()
    .min(32)
    .optional()
    .describe(
      'The token for `/codec`, which decrypts payloads for the Temporal UI of an operator. At least 32 characters.',
    ),
  ...tracingSettings,
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('The least important log lines to write.'),
});

/** Each of these may also be given as `NAME_FILE`, the path of a file. */
export const secrets = [
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'DATABASE_REPORTS_URL',
  'MIGRATION_DATABASE_URL',
  'SMTP_URL',
  'SOCIAL_PROVIDERS',
  'TEMPORAL_API_KEY',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'STRIPE_CONNECT_SECRET_KEY',
  'STRIPE_CONNECT_WEBHOOK_SECRET',
  'JWT_KEYS',
  'ENCRYPTION_KEY',
  'PASSWORD_PEPPER',
  'OPERATOR_TOKEN',
  'OTEL_EXPORTER_OTLP_HEADERS',
] as const;

const requiredForClientCertificate = ['TEMPORAL_TLS_CLIENT_CERT_PATH', 'TEMPORAL_TLS_CLIENT_KEY_PATH'] as const;
const requiredWithStripe = ['STRIPE_SECRET_KEY', 'STRIPE_PUBLISHABLE_KEY', 'STRIPE_WEBHOOK_SECRET'] as const;

function readConfig(environment: NodeJS.ProcessEnv) {
  const given: GivenSettings = { ...environment };
  for (const name of secrets) given[name] ||= readSecretFile(name, environment[`${name}_FILE`]);
  for (const name of Object.keys(given)) if (given[name] === '') delete given[name];
  const parsed = Environment.safeParse(given);
  if (!parsed.success) throw new Error(parsed.error.issues.map(explainIssue).join('\n'));
  const settings = parsed.data;
  const ENVIRONMENT = chooseEnvironment(settings);
  if (ENVIRONMENT === 'production') refuseUnsafe(given, settings.CARD_PROVIDER);
  if (settings.TEMPORAL_TLS_CLIENT_CERT_PATH !== undefined || settings.TEMPORAL_TLS_CLIENT_KEY_PATH !== undefined)
    refuseAbsent('A client certificate for Temporal', requiredForClientCertificate, given);
  if (settings.TLS_CERT !== undefined || settings.TLS_KEY !== undefined)
    refuseAbsent('TLS', ['TLS_CERT', 'TLS_KEY'], given);
  if (settings.CARD_PROVIDER === 'stripe') refuseAbsent('CARD_PROVIDER=stripe', requiredWithStripe, given);
  if (connectNames.some((name) => given[name] !== undefined)) refuseAbsent('Stripe Connect', connectNames, given);
  if (ENVIRONMENT === 'test' && /_live_/.test(settings.STRIPE_CONNECT_SECRET_KEY ?? ''))
    throw new Error('STRIPE_CONNECT_SECRET_KEY: must be a test key, because a test environment has a test clock');
  return {
    ...settings,
    ENVIRONMENT,
    MERCHANT_SIGNUP: settings.MERCHANT_SIGNUP ?? (ENVIRONMENT === 'production' ? 'closed' : 'open'),
    /** For what needs a session. Behind a pooler, a session lasts for one transaction. */
    DATABASE_DIRECT_URL: settings.DATABASE_DIRECT_URL ?? settings.DATABASE_URL,
    DATABASE_IS_POOLED: settings.DATABASE_DIRECT_URL !== undefined,
    /** The file that is read again when keys are rotated. Undefined if the keys were given by value. */
    JWT_KEYS_FILE: environment['JWT_KEYS'] ? undefined : settings.JWT_KEYS_FILE,
    BASE_URL: (settings.BASE_URL ?? addressOf(settings)).replace(/\/$/, ''),
    ENCRYPTION_KEY: readEncryptionKey(settings.ENCRYPTION_KEY),
    /** A configured key is shared by all processes and outlives this one, so they can open what this process sealed. */
    ENCRYPTION_KEY_IS_SHARED: settings.ENCRYPTION_KEY !== undefined,
  };
}

function addressOf({ HOST, PORT, TLS_CERT, TLS_PORT }: z.output<typeof Environment>): string {
  return TLS_CERT === undefined ? `http://${HOST}:${PORT}` : `https://${HOST}:${TLS_PORT}`;
}

export const config = readConfig(process.env);
