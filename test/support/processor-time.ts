/** Milliseconds of the processor that something takes: on a busy machine it is the clock that goes on, not this. */
export function processorMs(action: () => void): number {
  const before = process.cpuUsage();
  action();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
