/** The settings with which the product uses the stores at `url` instead of the real ones. */
export function storeSettings(url: string, rootsFile: string): Record<string, string> {
  return {
    APPLE_API_BASE: url,
    APPLE_ROOT_CERTIFICATES: rootsFile,
    GOOGLE_API_BASE: url,
    GOOGLE_TOKEN_URL: `${url}/token`,
    GOOGLE_KEYS_URL: `${url}/oauth2/v3/certs`,
    AMAZON_API_BASE: url,
    AMAZON_CERTIFICATE_BASE: url,
    ROKU_API_BASE: url,
    ROKU_KEYS_URL: `${url}/keys/partner-jwks.json`,
  };
}
