import { config } from '../config';
import { hostOfUrl } from '../kit/hosts';

/** The settings that services may read: rules that an operator chooses (decisions 14). */
export const platformClientId = config.PLATFORM_CLIENT_ID;
export const merchantSignupIsOpen = config.MERCHANT_SIGNUP === 'open';
export const environmentName = config.ENVIRONMENT;
export const baseUrl = config.BASE_URL;
/** Where pages of our own are, as `RequestFacts.host` tells a page's host. */
export const ownHost = hostOfUrl(config.BASE_URL);
/** Whether webhooks may go to addresses inside private networks. */
export const webhooksMayBePrivate = config.WEBHOOK_ALLOW_PRIVATE;
/** Of each kind, an hour and account. */
export const mailsPerHour = config.RATE_LIMIT_MAILS;
/** The file of a TrueType font. */
export const receiptFont = config.RECEIPT_FONT;
/** Where Temporal's own pages show a run; undefined where nobody has said. */
export const temporalUiUrl = config.TEMPORAL_UI_URL?.replace(/\/$/, '');
export const temporalNamespace = config.TEMPORAL_NAMESPACE;
