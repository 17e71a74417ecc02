import { existingFile, serviceAddress } from './settings';

/** The addresses of the app stores. The store simulator has other addresses. */
export const storeSettings = {
  APPLE_API_BASE: serviceAddress.optional().describe("The address of Apple's API, if the store simulator replaces it."),
  APPLE_ROOT_CERTIFICATES: existingFile
    .optional()
    .describe("A PEM file of root certificates for Apple's signatures. The default is Apple's own."),
  GOOGLE_API_BASE: serviceAddress
    .default('https://androidpublisher.googleapis.com')
    .describe("The address of Google Play's API."),
  GOOGLE_TOKEN_URL: serviceAddress
    .default('https://oauth2.googleapis.com/token')
    .describe('The address at which Google issues access tokens.'),
  GOOGLE_KEYS_URL: serviceAddress
    .default('https://www.googleapis.com/oauth2/v3/certs')
    .describe("The address of Google's public keys, which verify its notifications."),
  AMAZON_API_BASE: serviceAddress
    .default('https://appstore-sdk.amazon.com')
    .describe('The address of the Amazon Appstore API.'),
  AMAZON_CERTIFICATE_BASE: serviceAddress
    .optional()
    .describe('A second address of the certificates that sign notifications from Amazon, for the store simulator.'),
  ROKU_API_BASE: serviceAddress.default('https://apipub.roku.com').describe("The address of Roku's API."),
  ROKU_KEYS_URL: serviceAddress
    .default('https://assets.cs.roku.com/keys/partner-jwks.json')
    .describe("The address of Roku's public keys, which verify its notifications."),
};
