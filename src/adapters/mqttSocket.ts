import type * as MqttPacket from 'mqtt-packet';
import { type IConnectPacket, type ISubscribePacket, type Packet } from 'mqtt-packet';
import { type WebSocket } from 'ws';
import { lazily } from '../kit/lazily';
import { closeCodes, limitTalk } from './socketListener';

const mqttPacket = lazily<typeof MqttPacket>(require, 'mqtt-packet');

/**
 * MQTT 3.1.1 over one WebSocket (wire C.1 to C.3), as far as a client that listens needs it: it connects, subscribes to
 * the one topic that is its account's, is kept alive, and goes. It sends nothing that anyone would hear.
 */

const firstPacketWithinMs = 10_000;
/** For a client that asked for no keepalive, and has not subscribed. */
const subscribeWithinMs = 60_000;
const packetBytesMax = 4_096;
const protocolVersion = 4;
const connected = 0;
const unacceptableVersion = 1;
const notAuthorised = 5;
const refusedTopic = 0x80;

export interface MqttClient {
  /** The only topic that it may subscribe to; undefined: whoever connected may not listen at all. */
  topic: string | undefined;
  /** Readies the channel; what it returns begins to send, once the client knows that it has subscribed. */
  prepare(): Promise<() => void>;
  leave(): void;
}

/** A message as a packet of a topic, at most once. */
export function publishPacket(topic: string, payload: string): Buffer {
  return mqttPacket().generate({ cmd: 'publish', topic, payload, qos: 0, dup: false, retain: false });
}

export function serveMqtt(socket: WebSocket, client: MqttClient): void {
  let isConnected = false;
  let isSubscribed = false;
  let idleMs = firstPacketWithinMs;
  let isKeptAlive = false;
  const giveUp = () => socket.close(closeCodes.policy, 'silent');
  let silence = setTimeout(giveUp, idleMs);
  const rest = () => {
    clearTimeout(silence);
    if (idleMs > 0 && socket.readyState === socket.OPEN) silence = setTimeout(giveUp, idleMs);
  };
  const send = (packet: Packet) => socket.send(mqttPacket().generate(packet, { protocolVersion }));

  const connect = ({ protocolVersion: version, keepalive = 0 }: IConnectPacket) => {
    if (isConnected) return socket.close(closeCodes.policy, 'connected already');
    const returnCode =
      version !== 3 && version !== 4 ? unacceptableVersion : client.topic === undefined ? notAuthorised : connected;
    send({ cmd: 'connack', returnCode, sessionPresent: false });
    if (returnCode !== connected) return socket.close(closeCodes.badToken, 'refused');
    isConnected = true;
    isKeptAlive = keepalive > 0;
    idleMs = isKeptAlive ? keepalive * 1_500 : subscribeWithinMs;
  };

  const subscribe = async ({ messageId = 0, subscriptions }: ISubscribePacket) => {
    const isOwn = subscriptions.map(({ topic }) => topic === client.topic);
    const begin = isOwn.includes(true) && !isSubscribed ? await client.prepare() : undefined;
    if (socket.readyState !== socket.OPEN) return;
    send({ cmd: 'suback', messageId, granted: isOwn.map((own) => (own ? 0 : refusedTopic)) });
    if (!begin || isSubscribed) return;
    isSubscribed = true;
    if (!isKeptAlive) idleMs = 0;
    begin();
  };

  const handle = async (packet: Packet): Promise<void> => {
    if (packet.cmd === 'connect') return connect(packet);
    if (!isConnected) return socket.close(closeCodes.policy, 'not connected');
    if (packet.cmd === 'subscribe') return subscribe(packet);
    if (packet.cmd === 'pingreq') return send({ cmd: 'pingresp' });
    if (packet.cmd === 'disconnect') return socket.close(1000);
    if (packet.cmd !== 'unsubscribe') return socket.close(closeCodes.policy, 'nothing is published here');
    isSubscribed = false;
    client.leave();
    send({ cmd: 'unsuback', messageId: packet.messageId ?? 0, granted: [] });
  };

  const packets = mqttPacket().parser({ protocolVersion });
  const count = limitTalk(socket);
  // One after the other: who unsubscribes while it is being subscribed is unsubscribed in the end.
  let handled = Promise.resolve();
  packets.on('packet', (packet: Packet) => {
    count();
    if (socket.readyState !== socket.OPEN) return;
    handled = handled
      .then(() => handle(packet))
      .catch(() => socket.close(1011, 'cannot subscribe now'))
      .finally(rest);
  });
  packets.on('error', () => socket.close(1002, 'not MQTT'));
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    if (!isBinary) return socket.close(1003, 'not MQTT');
    try {
      // What is left is a packet that has not come whole: none of ours is that long.
      if (packets.parse(data) > packetBytesMax) socket.close(1009, 'too long');
    } catch {
      socket.close(1002, 'not MQTT');
    }
  });
  socket.on('close', () => clearTimeout(silence));
}
