import { z } from 'zod';
import { existingFile } from './settings';

/** The connection of the processes to the Temporal server. Other Temporal clients read the same names. */
export const temporalSettings = {
  TEMPORAL_ADDRESS: z.string().default('127.0.0.1:7233').describe('Host and port of the Temporal server.'),
  TEMPORAL_NAMESPACE: z.string().default('default').describe('The Temporal namespace.'),
  TEMPORAL_TASK_QUEUE: z.string().default('paywall').describe('The prefix of the task queues in Temporal.'),
  TEMPORAL_TLS: z
    .stringbool()
    .default(false)
    .describe('Connect to Temporal with TLS. An API key and the files below also turn it on.'),
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: existingFile
    .optional()
    .describe(
      'A PEM file of the authorities that sign the certificate of Temporal. The default is the authorities of the system.',
    ),
  TEMPORAL_TLS_SERVER_NAME: z
    .string()
    .optional()
    .describe("The name in Temporal's certificate, if it is not the host of TEMPORAL_ADDRESS."),
  TEMPORAL_TLS_CLIENT_CERT_PATH: existingFile
    .optional()
    .describe('A PEM file of the certificate that the processes send to Temporal (mTLS).'),
  TEMPORAL_TLS_CLIENT_KEY_PATH: existingFile.optional().describe('A PEM file of the private key of this certificate.'),
  TEMPORAL_API_KEY: z.string().min(1).optional().describe('An API key of Temporal, such as one of Temporal Cloud.'),
  TEMPORAL_UI_URL: z
    .url()
    .optional()
    .describe('The address of the Temporal UI, for links in the console and in responses.'),
};
