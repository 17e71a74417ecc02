import { connect, type IClientOptions, type MqttClient } from 'mqtt';
import { type ChannelKeysResponse } from '../../src/notifications/notifications.schemas';
import { type z } from 'zod';
import { call } from './client';
import { type Person } from './factories';
import { type TestApp } from './startApp';

type App = Pick<TestApp, 'address'>;
export type ChannelKeys = z.output<typeof ChannelKeysResponse>;

export async function getKeys(app: App, person: Person): Promise<ChannelKeys> {
  return (await call<ChannelKeys>(app, 'GET', '/iot/keys', undefined, person)).body;
}

/** The address that existing clients build, with a signature that is not checked. */
export function mqttAddress(app: App, sessionToken: string): string {
  const query = new URLSearchParams({
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': 'PAYWALL/20300101/eu-west-1/iotdevicegateway/aws4_request',
    'X-Amz-Date': '20300101T000000Z',
    'X-Amz-SignedHeaders': 'host',
    'X-Amz-Signature': 'ff'.repeat(32),
    'X-Amz-Security-Token': sessionToken,
  });
  return `${app.address.replace('http', 'ws')}/mqtt?${query.toString()}`;
}

export interface MqttListening {
  client: MqttClient;
  heard: { topic: string; text: string }[];
  /** The error with which the client was refused. */
  refused: Promise<string>;
  closed: Promise<void>;
}

/** Connects like the library of existing clients. It reconnects only on request. */
export function openMqtt(app: App, sessionToken: string, options: IClientOptions = {}): MqttListening {
  const client = connect(mqttAddress(app, sessionToken), {
    protocolVersion: 4,
    clean: true,
    keepalive: 300,
    reconnectPeriod: 0,
    username: '?SDK=JavaScript&Version=2.2.6',
    ...options,
  });
  const heard: MqttListening['heard'] = [];
  client.on('message', (topic, payload) => heard.push({ topic, text: payload.toString() }));
  const refused = new Promise<string>((resolve) => client.on('error', ({ message }) => resolve(message)));
  const closed = new Promise<void>((resolve) => client.on('close', () => resolve()));
  return { client, heard, refused, closed };
}

/** Connected, and subscribed to the person's own topic. */
export async function listenByMqtt(app: App, person: Person, options: IClientOptions = {}): Promise<MqttListening> {
  const listening = openMqtt(app, (await getKeys(app, person)).sessionToken, options);
  await listening.client.subscribeAsync(person.uuid, { qos: 0 });
  return listening;
}
