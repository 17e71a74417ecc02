import { join, resolve } from 'node:path';
import { z } from 'zod';
import { startPaymentSimulator } from './paymentSimulator/program';

const Environment = z.object({
  PAYMENT_SIMULATOR_PORT: z.coerce.number().int().min(0).max(65_535).default(8091),
  /** `BASE_URL/payments/sandbox/notifications`, as this process reaches it. */
  PAYMENT_SIMULATOR_NOTIFY_URL: z.url().optional(),
  PAYMENT_SIMULATOR_HOST: z.string().default('127.0.0.1'),
  PAYMENT_SIMULATOR_FOLDER: z.string().default(join(resolve(__dirname, '..', '..'), '.data', 'payment-simulator')),
});

/**
 * `npm run payment-simulator`: the payment provider of the test environment, until ctrl-C. Its ledger is in files of its own.
 * `paymentSimulator/pages.ts` says how to add a page for payers.
 */
async function main(): Promise<void> {
  const given = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ''));
  const settings = Environment.parse(given);
  const { PAYMENT_SIMULATOR_PORT: port, PAYMENT_SIMULATOR_HOST: host, PAYMENT_SIMULATOR_FOLDER: folder } = settings;
  const notifyUrl = settings.PAYMENT_SIMULATOR_NOTIFY_URL;
  const { url, stop } = await startPaymentSimulator({ port, host, folder, notifyUrl });
  console.log(`The payment provider of the test environment is at ${url}`);
  const end = () => void stop().then(() => process.exit(0));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, end);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
