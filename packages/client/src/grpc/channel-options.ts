/** Settings of grpc-js for all connections: those of clients, and those within a cluster. */
export const CHANNEL_OPTIONS = Object.freeze({
  'grpc.max_receive_message_length': -1,
  'grpc.max_send_message_length': -1,
  // Calls are repeated above the channel.
  'grpc.enable_retries': 0,
  'grpc.enable_channelz': 0,
  // A process that was away for long is found within a second of its return: the default waits two
  // minutes, and nodes and gateways have leases and routes that are much shorter.
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1000,
  // A process that was stopped, or behind a broken network, does not keep a call for ever.
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 20_000,
});
