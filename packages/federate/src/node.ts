// Node only: files and TLS. The rest of the package runs in browsers too.
export * from './node/file-folder.js';
export * from './node/free-ports.js';
export * from './node/self-signed-certificate.js';
export * from './node/tls-client.js';
export * from './node/tls-server.js';
export * from './node/token-office.js';
