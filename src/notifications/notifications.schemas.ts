import { z } from 'zod';
import { formInt } from '../kit/form';
import { EventMessage } from './events';

export const HistoryQuery = z.object({
  after: formInt().pipe(z.int().min(0)).optional(),
  limit: formInt().pipe(z.int().min(1).max(500)).optional(),
});

/**
 * `sessionToken` opens the MQTT channel, `url` the plain WebSocket. The other fields exist only because clients require
 * them.
 */
export const ChannelKeysResponse = z.object({
  accessKey: z.string(),
  secretKey: z.string(),
  sessionToken: z.string(),
  region: z.literal('eu-west-1'),
  /** Host and port of this service: the channel is at `/mqtt`. */
  iotEndpoint: z.string(),
  url: z.string(),
});

export const HistoryResponse = z.object({ collection: z.array(EventMessage) });
