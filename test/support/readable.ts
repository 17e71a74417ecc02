/** A history with its payloads decoded beside their encoded form; times and ids of the server itself are left out. */
export function readable(history: string): string {
  const lines: string[] = [];
  JSON.parse(history, (key, value: unknown) => {
    if (key === 'data' && typeof value === 'string') lines.push(Buffer.from(value, 'base64').toString('utf8'));
    else if (typeof value === 'string' && !/(Id|Time|Token|Checksum)$|^identity$/i.test(key))
      lines.push(`${key}: ${value}`);
    return value;
  });
  return lines.join('\n');
}
