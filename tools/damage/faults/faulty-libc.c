// A file system that fails, for whole processes: loaded before the C library (LD_PRELOAD), so that every write of Node and of the SQLite
// inside libsql goes through it. It stands under no test double: what the kernel would see is what is counted, failed and recorded.
//
// The process under test speaks to it by opening names that do not exist:
//   /hushrec-faults/arm/<kind>/<n>/<absolute root>   the n-th call below the root fails (0: none), and all calls are recorded in
//                                                    the file $HUSHREC_FAULTS_RECORD
//   /hushrec-faults/dead                             fails with EIO once the power is off, with ENOENT before
//   /hushrec-faults/disarm                           back to the plain disk
// Kinds: f full disk (ENOSPC where space is needed), e I/O error, t torn write (half of the bytes, then EIO), s short write (half of the
// bytes, and the call says so: whoever writes has to go on),
// p power loss: this call and all later ones do nothing and fail. What a disk may hold afterwards is put together from the record
// (power-loss.mjs).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define MOST_FILES 4096
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static char root[4096];
static size_t root_length;
static char kind;
static long fail_at, calls;
static int is_armed, is_dead, record = -1;
/** Which file of the record a descriptor belongs to: an absolute name and the inode behind it; no name where it is not ours. */
static struct { char *name; uint64_t inode; } files[MOST_FILES];

#define REAL(name) ((typeof(&name))real(#name))
static void *real(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (!found) { fprintf(stderr, "faulty-libc: no %s\n", name); abort(); }
  return found;
}

static int is_below(const char *path) {
  return is_armed && path && strncmp(path, root, root_length) == 0 && (path[root_length] == '/' || path[root_length] == 0);
}

static void put(const void *bytes, size_t length) {
  for (size_t done = 0; done < length;) {
    ssize_t n = REAL(write)(record, (const char *)bytes + done, length - done);
    if (n <= 0) abort();
    done += (size_t)n;
  }
}

/** One call in the record: what, inode, a number, two names, bytes; lengths before what has one. */
static void note(char what, uint64_t inode, uint64_t number, const char *a, const char *b, const void *bytes, size_t length) {
  uint32_t lengths[3] = {a ? (uint32_t)strlen(a) : 0, b ? (uint32_t)strlen(b) : 0, (uint32_t)length};
  put(&what, 1);
  put(&inode, 8);
  put(&number, 8);
  put(lengths, sizeof lengths);
  put(a ? a : "", lengths[0]);
  put(b ? b : "", lengths[1]);
  put(bytes, length);
}

static uint64_t inode_of(int fd) {
  struct stat info;
  return fstat(fd, &info) == 0 ? info.st_ino : 0;
}

/** Counts a call; whether it must fail, with errno set. `needs_space`: a full disk refuses it. */
static int fails(const char *what, const char *path, int needs_space) {
  if (is_dead) { errno = EIO; return 1; }
  if (kind == 'f' && !needs_space) return 0;
  if ((kind == 't' || kind == 's') && strcmp(what, "write") != 0) return 0;
  if (++calls != fail_at) return 0;
  note('!', 0, 0, what, path, NULL, 0);
  if (kind == 'p') is_dead = 1;
  errno = kind == 'f' ? ENOSPC : EIO;
  return 1;
}

static void disarm(void) {
  is_armed = is_dead = 0;
  if (record >= 0) close(record);
  record = -1;
}

static int is_order(const char *path) {
  const char *start = "/hushrec-faults/";
  if (!path || strncmp(path, start, strlen(start)) != 0) return 0;
  pthread_mutex_lock(&lock);
  const char *rest = path + strlen(start);
  if (strcmp(rest, "dead") == 0) {
    errno = is_dead ? EIO : ENOENT;
    pthread_mutex_unlock(&lock);
    return 1;
  }
  disarm();
  if (strncmp(rest, "arm/", 4) == 0) {
    kind = rest[4];
    fail_at = atol(rest + 6);
    const char *place = strchr(rest + 6, '/');
    snprintf(root, sizeof root, "%s", place);
    root_length = strlen(root);
    calls = 0;
    record = REAL(open64)(getenv("HUSHREC_FAULTS_RECORD"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    is_armed = record >= 0;
  }
  pthread_mutex_unlock(&lock);
  errno = ENOENT;
  return 1;
}

static void remember(int fd, const char *path) {
  if (fd < 0 || fd >= MOST_FILES) return;
  free(files[fd].name);
  files[fd].name = path ? strdup(path) : NULL;
  files[fd].inode = path ? inode_of(fd) : 0;
}

static int ours(int fd) { return is_armed && fd >= 0 && fd < MOST_FILES && files[fd].name; }

static int opened(int directory, const char *path, int flags, mode_t mode) {
  if (is_order(path)) return -1;
  if (!is_below(path)) {
    int fd = REAL(openat64)(directory, path, flags, mode);
    pthread_mutex_lock(&lock);
    if (fd >= 0) remember(fd, NULL);
    pthread_mutex_unlock(&lock);
    return fd;
  }
  pthread_mutex_lock(&lock);
  int fd = -1;
  int changes = (flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT);
  struct stat info;
  int is_new = (flags & O_CREAT) && stat(path, &info) != 0;
  // After the power failed reading still works: it tells nobody anything.
  if (!(is_dead && !changes) && fails("open", path, is_new)) goto end;
  fd = REAL(openat64)(directory, path, flags, mode);
  if (fd < 0) goto end;
  remember(fd, path);
  if (is_new) note('c', files[fd].inode, 0, path, NULL, NULL, 0);
  else if ((flags & O_TRUNC) && changes) note('t', files[fd].inode, 0, path, NULL, NULL, 0);
end:
  pthread_mutex_unlock(&lock);
  return fd;
}

#define OPEN(signature, directory)                                                                    \
  signature {                                                                                         \
    mode_t mode = 0;                                                                                  \
    if (flags & (O_CREAT | O_TMPFILE)) {                                                              \
      va_list more;                                                                                   \
      va_start(more, flags);                                                                          \
      mode = va_arg(more, mode_t);                                                                    \
      va_end(more);                                                                                   \
    }                                                                                                 \
    return opened(directory, path, flags, mode);                                                      \
  }
OPEN(int open(const char *path, int flags, ...), AT_FDCWD)
OPEN(int open64(const char *path, int flags, ...), AT_FDCWD)
OPEN(int openat(int directory, const char *path, int flags, ...), directory)
OPEN(int openat64(int directory, const char *path, int flags, ...), directory)

int close(int fd) {
  pthread_mutex_lock(&lock);
  if (fd >= 0 && fd < MOST_FILES && files[fd].name) remember(fd, NULL);
  pthread_mutex_unlock(&lock);
  return REAL(close)(fd);
}

/** All writing ends here; offset −1 is where the file stands. */
static ssize_t written(int fd, const void *bytes, size_t length, off64_t offset) {
  pthread_mutex_lock(&lock);
  ssize_t result = -1;
  int is_torn = 0;
  if (fails("write", files[fd].name, 1)) {
    if (is_dead || (kind != 't' && kind != 's')) goto end;
    is_torn = kind == 't';
    length = (length + 1) / 2;
  }
  uint64_t at = (uint64_t)offset;
  if (offset < 0) {
    int flags = fcntl(fd, F_GETFL);
    at = (uint64_t)lseek64(fd, 0, flags & O_APPEND ? SEEK_END : SEEK_CUR);
    result = REAL(write)(fd, bytes, length);
  } else
    result = REAL(pwrite64)(fd, bytes, length, offset);
  if (result > 0) note('w', files[fd].inode, at, files[fd].name, NULL, bytes, (size_t)result);
  if (is_torn) {
    result = -1;
    errno = EIO;
  }
end:
  pthread_mutex_unlock(&lock);
  return result;
}

static ssize_t gathered(int fd, const struct iovec *parts, int count, off64_t offset) {
  size_t length = 0;
  for (int k = 0; k < count; k++) length += parts[k].iov_len;
  char *all = malloc(length + 1);
  size_t at = 0;
  for (int k = 0; k < count; k++) {
    memcpy(all + at, parts[k].iov_base, parts[k].iov_len);
    at += parts[k].iov_len;
  }
  ssize_t result = written(fd, all, length, offset);
  int reason = errno;
  free(all);
  errno = reason;
  return result;
}

ssize_t write(int fd, const void *bytes, size_t length) {
  return ours(fd) ? written(fd, bytes, length, -1) : REAL(write)(fd, bytes, length);
}
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) {
  return ours(fd) ? written(fd, bytes, length, offset) : REAL(pwrite)(fd, bytes, length, offset);
}
ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) {
  return ours(fd) ? written(fd, bytes, length, offset) : REAL(pwrite64)(fd, bytes, length, offset);
}
ssize_t writev(int fd, const struct iovec *parts, int count) {
  return ours(fd) ? gathered(fd, parts, count, -1) : REAL(writev)(fd, parts, count);
}
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) {
  return ours(fd) ? gathered(fd, parts, count, offset) : REAL(pwritev)(fd, parts, count, offset);
}
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset) {
  return ours(fd) ? gathered(fd, parts, count, offset) : REAL(pwritev64)(fd, parts, count, offset);
}

static int synced(int fd) {
  pthread_mutex_lock(&lock);
  int result = -1;
  if (!fails("sync", files[fd].name, 0)) {
    // The record says what would be durable; waiting for a real disk would only take time.
    result = 0;
    note('s', files[fd].inode, 0, files[fd].name, NULL, NULL, 0);
  }
  pthread_mutex_unlock(&lock);
  return result;
}
int fsync(int fd) { return ours(fd) ? synced(fd) : REAL(fsync)(fd); }
int fdatasync(int fd) { return ours(fd) ? synced(fd) : REAL(fdatasync)(fd); }

static int cut(int fd, off64_t length) {
  pthread_mutex_lock(&lock);
  int result = -1;
  if (!fails("truncate", files[fd].name, 0)) {
    result = REAL(ftruncate64)(fd, length);
    if (result == 0) note('t', files[fd].inode, (uint64_t)length, files[fd].name, NULL, NULL, 0);
  }
  pthread_mutex_unlock(&lock);
  return result;
}
int ftruncate(int fd, off_t length) { return ours(fd) ? cut(fd, length) : REAL(ftruncate)(fd, length); }
int ftruncate64(int fd, off64_t length) { return ours(fd) ? cut(fd, length) : REAL(ftruncate64)(fd, length); }

/** A change of names: fails, or is made and recorded. */
#define NAMED(what, mark, path, to, needs_space, call)                                                \
  pthread_mutex_lock(&lock);                                                                          \
  int result = -1;                                                                                    \
  if (!fails(what, path, needs_space)) {                                                              \
    result = call;                                                                                    \
    int reason = errno;                                                                               \
    if (result == 0) note(mark, 0, 0, path, to, NULL, 0);                                             \
    errno = reason;                                                                                   \
  }                                                                                                   \
  pthread_mutex_unlock(&lock);                                                                        \
  return result;

int rename(const char *from, const char *to) {
  if (!is_below(from) && !is_below(to)) return REAL(rename)(from, to);
  NAMED("rename", 'r', from, to, 1, REAL(rename)(from, to))
}
int link(const char *from, const char *to) {
  if (!is_below(to)) return REAL(link)(from, to);
  NAMED("link", 'l', from, to, 1, REAL(link)(from, to))
}
int unlink(const char *path) {
  if (!is_below(path)) return REAL(unlink)(path);
  NAMED("unlink", 'u', path, NULL, 0, REAL(unlink)(path))
}
int rmdir(const char *path) {
  if (!is_below(path)) return REAL(rmdir)(path);
  NAMED("rmdir", 'd', path, NULL, 0, REAL(rmdir)(path))
}
int mkdir(const char *path, mode_t mode) {
  if (!is_below(path)) return REAL(mkdir)(path, mode);
  struct stat info;
  if (stat(path, &info) == 0) { errno = EEXIST; return -1; }
  NAMED("mkdir", 'm', path, NULL, 1, REAL(mkdir)(path, mode))
}
