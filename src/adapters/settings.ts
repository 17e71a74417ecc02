import { readFileSync } from 'node:fs';
import { config } from '../config';
import { type Limits } from '../kit/attempts';
import { hostOfUrl } from '../kit/hosts';

/** The settings that services may read. */
export const platformClientId = config.PLATFORM_CLIENT_ID;
export const merchantSignupIsOpen = config.MERCHANT_SIGNUP !== 'closed';
export const merchantsNeedApproval = config.MERCHANT_SIGNUP === 'approval';
/** The client id with which the operators of the installation sign in. */
export const operatorClientId = 'operator';
/** The session of an operator ends after this time without use. */
export const operatorIdleMinutes = config.OPERATOR_IDLE_MINUTES;
/** The domain to which passkeys belong, and the origins that may use them. */
export const passkeyDomain = config.PASSKEY_RP_ID ?? new URL(config.BASE_URL).hostname;
export const passkeyOrigins = [new URL(config.BASE_URL).origin, ...config.PASSKEY_ORIGINS];
export const environmentName = config.ENVIRONMENT;
export const baseUrl = config.BASE_URL;
/** The host of our own pages, in the form of `RequestFacts.host`. */
export const ownHost = hostOfUrl(config.BASE_URL);
/** Whether webhooks may go to addresses inside private networks. */
export const webhooksMayBePrivate = config.WEBHOOK_ALLOW_PRIVATE;
/** Requests per minute. */
export const requestLimits: Limits = {
  credentials: config.RATE_LIMIT_CREDENTIALS,
  signIns: config.RATE_LIMIT_SIGN_INS,
  registrations: config.RATE_LIMIT_REGISTRATIONS,
  normal: config.RATE_LIMIT_NORMAL,
  anonymous: config.RATE_LIMIT_ANONYMOUS,
};
/** The most requested mails of each kind per hour and account. */
export const mailsPerHour = config.RATE_LIMIT_MAILS;
/** How many mails a merchant can send each day, by its age (`MAIL_BUDGETS`). */
export const mailBudgetSteps = config.MAIL_BUDGETS;
/** The path of the file to which the heads of audit logs are appended. */
export const auditHeadsFile = config.AUDIT_HEADS_FILE;
/** The path of a TrueType font. */
export const receiptFont = config.RECEIPT_FONT;
/** The text of the table of tax rates; undefined for the packaged one. */
export const taxRates = config.TAX_RATES_FILE === undefined ? undefined : readFileSync(config.TAX_RATES_FILE, 'utf8');
/** PostgreSQL without a pooler, for long transactions: as the role of the processes, and as the owner of the tables. */
export const directDatabaseUrl = config.DATABASE_DIRECT_URL;
export const ownerDatabaseUrl = config.MIGRATION_DATABASE_URL ?? config.DATABASE_DIRECT_URL;
/** Without a configured ENCRYPTION_KEY, no other process can open what this one has sealed. */
export const encryptionKeyIsShared = config.ENCRYPTION_KEY_IS_SHARED;

/** The address of the Temporal UI; undefined if it is not configured. */
export const temporalUiUrl = config.TEMPORAL_UI_URL?.replace(/\/$/, '');
export const temporalNamespace = config.TEMPORAL_NAMESPACE;

/** The most declined charges of a card in 30 days, and of a charge in one billing cycle (`CARD_ATTEMPTS_MAX`). */
export const cardAttemptsMax = config.CARD_ATTEMPTS_MAX;

/** What the operator gets of each payment on a connected account, and whether a refund gives it back. */
export const platformFee = { percent: config.CONNECT_FEE_PERCENT, fixed: config.CONNECT_FEE_FIXED };
export const platformFeeIsRefunded = config.CONNECT_FEE_REFUNDED;
