/** The product's settings that make it ask what is at `url` in place of the real stores. */
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
