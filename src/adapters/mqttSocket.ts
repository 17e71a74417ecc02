import type * as MqttPacket from 'mqtt-packet';
import { type IConnectPacket, type ISubscribePacket, type Packet } from 'mqtt-packet';
import { type WebSocket } from 'ws';
import { lazily } from '../kit/lazily';
import { closeCodes, limitTalk } from './socketListener';

const mqttPacket = lazily<typeof MqttPacket>(require, 'mqtt-packet');

/**
 * The part of MQTT 3.1.1 that a listening client needs, over one WebSocket. The client connects, subscribes to the topic of
 * its account, sends keepalives and disconnects. It cannot publish.
 */

const firstPacketWithinMs = 10_000;
/** For a client without keepalive that has not subscribed. */
const subscribeWithinMs = 60_000;
const packetBytesMax = 4_096;
const protocolVersion = 4;
const connected = 0;
const unacceptableVersion = 1;
const notAuthorised = 5;
const refusedTopic = 0x80;

export interface MqttClient {
  /** The only topic to which the client may subscribe; undefined if the client may not listen at all. */
  topic: string | undefined;
  /**
   * Prepares the channel. The returned function starts sending, once the client has received the answer to its
   * subscription.
   */
  prepare(): Promise<() => void>;
  leave(): void;
}

/** A message as a packet of a topic, at most once. */
export function publishPacket(topic: string, payload: string): Buffer {
  return mqttPacket().generate({ cmd: 'publish', topic, payload, qos: 0, dup: false, retain: false });
}

export function serveMqtt(socket: WebSocket, client: MqttClient): void {
  const session = new MqttSession(socket, client);
  const packets = mqttPacket().parser({ protocolVersion });
  const count = limitTalk(socket);
  packets.on('packet', (packet: Packet) => {
    count();
    session.receive(packet);
  });
  packets.on('error', () => socket.close(1002, 'not MQTT'));
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    if (!isBinary) return socket.close(1003, 'not MQTT');
    try {
      // The remaining bytes are an incomplete packet. No valid packet is longer than this.
      if (packets.parse(data) > packetBytesMax) socket.close(1009, 'too long');
    } catch {
      socket.close(1002, 'not MQTT');
    }
  });
  socket.on('close', () => session.end());
}

class MqttSession {
  private isConnected = false;
  private isSubscribed = false;
  private isKeptAlive = false;
  /** 0: the client may be silent for any time. */
  private idleMs = firstPacketWithinMs;
  private silence: NodeJS.Timeout | undefined;
  /** Packets are handled one after the other, so that an unsubscribe during a subscribe has the last effect. */
  private handled = Promise.resolve();

  constructor(
    private readonly socket: WebSocket,
    private readonly client: MqttClient,
  ) {
    this.awaitPacket();
  }

  receive(packet: Packet): void {
    if (!this.isOpen()) return;
    this.handled = this.handled
      .then(() => this.handle(packet))
      .catch(() => this.socket.close(1011, 'cannot subscribe now'))
      .finally(() => this.awaitPacket());
  }

  end(): void {
    clearTimeout(this.silence);
  }

  private isOpen(): boolean {
    return this.socket.readyState === this.socket.OPEN;
  }

  private awaitPacket(): void {
    clearTimeout(this.silence);
    if (this.idleMs === 0 || !this.isOpen()) return;
    this.silence = setTimeout(() => this.socket.close(closeCodes.policy, 'silent'), this.idleMs);
  }

  private async handle(packet: Packet): Promise<void> {
    const { socket } = this;
    if (packet.cmd === 'connect') return this.connect(packet);
    if (!this.isConnected) return socket.close(closeCodes.policy, 'not connected');
    if (packet.cmd === 'subscribe') return this.subscribe(packet);
    if (packet.cmd === 'pingreq') return this.send({ cmd: 'pingresp' });
    if (packet.cmd === 'disconnect') return socket.close(1000);
    if (packet.cmd !== 'unsubscribe') return socket.close(closeCodes.policy, 'nothing is published here');
    this.isSubscribed = false;
    this.client.leave();
    this.send({ cmd: 'unsuback', messageId: packet.messageId ?? 0, granted: [] });
  }

  private connect({ protocolVersion: version, keepalive = 0 }: IConnectPacket): void {
    if (this.isConnected) return this.socket.close(closeCodes.policy, 'connected already');
    const mayListen = this.client.topic !== undefined;
    const returnCode = version !== 3 && version !== 4 ? unacceptableVersion : mayListen ? connected : notAuthorised;
    this.send({ cmd: 'connack', returnCode, sessionPresent: false });
    if (returnCode !== connected) return this.socket.close(closeCodes.badToken, 'refused');
    this.isConnected = true;
    this.isKeptAlive = keepalive > 0;
    this.idleMs = this.isKeptAlive ? keepalive * 1_500 : subscribeWithinMs;
  }

  private async subscribe({ messageId = 0, subscriptions }: ISubscribePacket): Promise<void> {
    const isOwn = subscriptions.map(({ topic }) => topic === this.client.topic);
    const begin = isOwn.includes(true) && !this.isSubscribed ? await this.client.prepare() : undefined;
    if (!this.isOpen()) return;
    this.send({ cmd: 'suback', messageId, granted: isOwn.map((own) => (own ? 0 : refusedTopic)) });
    if (!begin || this.isSubscribed) return;
    this.isSubscribed = true;
    if (!this.isKeptAlive) this.idleMs = 0;
    begin();
  }

  private send(packet: Packet): void {
    this.socket.send(mqttPacket().generate(packet, { protocolVersion }));
  }
}
