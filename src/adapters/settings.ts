import { config } from '../config';

/** The settings that services may read: rules that an operator chooses (decisions 14). */
export const platformClientId = config.PLATFORM_CLIENT_ID;
export const merchantSignupIsOpen = config.MERCHANT_SIGNUP === 'open';
export const environmentName = config.ENVIRONMENT;
export const baseUrl = config.BASE_URL;
/** Of each kind, an hour and account. */
export const mailsPerHour = config.RATE_LIMIT_MAILS;
/** The file of a TrueType font. */
export const receiptFont = config.RECEIPT_FONT;
