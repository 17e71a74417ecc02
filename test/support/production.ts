import { keyPair } from './keys';

/** Settings of a production service that needs and reaches nothing outside this machine. */
export const productionSettings = (): Record<string, string> => ({
  ENVIRONMENT: 'production',
  CARD_PROVIDER: 'stripe',
  SANDBOX_API_BASE: '',
  STRIPE_SECRET_KEY: 'sk_test_1',
  STRIPE_PUBLISHABLE_KEY: 'pk_test_1',
  STRIPE_WEBHOOK_SECRET: 'whsec_test',
  STRIPE_API_BASE: 'http://127.0.0.1:9',
  SMTP_URL: 'smtp://127.0.0.1:9',
  JWT_KEYS: JSON.stringify([keyPair('one').jwk]),
  ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
});
