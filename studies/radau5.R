# radau5.R - the points of RADAU5 in radau5_andrews.csv and radau5_car_axis.csv: `Rscript radau5.R`, with the
# package deSolve (Debian: r-cran-desolve). The equations, initial values and reference solutions are those of
# the problems "andrews" and "caraxis" of Mazzia and Magherini, Test set for initial value problem solvers,
# release 2.4, 2008, in index 3: a vector y, a constant singular mass matrix M and M y' = f(t, y).
library(deSolve)

andrews <- local({
  m <- c(.04325, .00365, .02373, .00706, .07050, .00706, .05498)
  J <- c(2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)
  xa <- -.06934; ya <- -.00227; xb <- -.03635; yb <- .03273; xc <- .014; yc <- .072; c0 <- 4530
  d <- .028; da <- .0115; e <- .02; ea <- .01421; rr <- .007; ra <- .00092; l0 <- .07785
  ss <- .035; sa <- .01874; sb <- .01043; sc <- .018; sd <- .02; ta <- .02308; tb <- .00916
  u <- .04; ua <- .01228; ub <- .00449; zf <- .02; zt <- .04; fa <- .01421; torque <- .033

  inertia <- function(q) {
    M <- matrix(0, 7, 7)
    M[1, 1] <- m[1] * ra^2 + m[2] * (rr^2 - 2 * da * rr * cos(q[2]) + da^2) + J[1] + J[2]
    M[2, 1] <- M[1, 2] <- m[2] * (da^2 - da * rr * cos(q[2])) + J[2]
    M[2, 2] <- m[2] * da^2 + J[2]
    M[3, 3] <- m[3] * (sa^2 + sb^2) + J[3]
    M[4, 4] <- m[4] * (e - ea)^2 + J[4]
    M[5, 4] <- M[4, 5] <- m[4] * ((e - ea)^2 + zt * (e - ea) * sin(q[4])) + J[4]
    M[5, 5] <- m[4] * (zt^2 + 2 * zt * (e - ea) * sin(q[4]) + (e - ea)^2) + m[5] * (ta^2 + tb^2) + J[4] + J[5]
    M[6, 6] <- m[6] * (zf - fa)^2 + J[6]
    M[7, 6] <- M[6, 7] <- m[6] * ((zf - fa)^2 - u * (zf - fa) * sin(q[6])) + J[6]
    M[7, 7] <- m[6] * ((zf - fa)^2 - 2 * u * (zf - fa) * sin(q[6]) + u^2) + m[7] * (ua^2 + ub^2) + J[6] + J[7]
    M
  }
  force <- function(q, v) {
    xd <- sd * cos(q[3]) + sc * sin(q[3]) + xb
    yd <- sd * sin(q[3]) - sc * cos(q[3]) + yb
    long <- sqrt((xd - xc)^2 + (yd - yc)^2)
    fx <- -c0 * (long - l0) / long * (xd - xc)
    fy <- -c0 * (long - l0) / long * (yd - yc)
    c(torque - m[2] * da * rr * v[2] * (v[2] + 2 * v[1]) * sin(q[2]), m[2] * da * rr * v[1]^2 * sin(q[2]),
      fx * (sc * cos(q[3]) - sd * sin(q[3])) + fy * (sd * cos(q[3]) + sc * sin(q[3])),
      m[4] * zt * (e - ea) * v[5]^2 * cos(q[4]), -m[4] * zt * (e - ea) * v[4] * (v[4] + 2 * v[5]) * cos(q[4]),
      -m[6] * u * (zf - fa) * v[7]^2 * cos(q[6]), m[6] * u * (zf - fa) * v[6] * (v[6] + 2 * v[7]) * cos(q[6]))
  }
  f <- function(t, y, p) {
    q <- y[1:7]; v <- y[8:14]; w <- y[15:21]; lambda <- y[22:27]
    s <- sin(q[1] + q[2]); k <- cos(q[1] + q[2])
    G <- matrix(0, 6, 7)
    G[c(1, 3, 5), 1] <- -rr * sin(q[1]) + d * s; G[c(1, 3, 5), 2] <- d * s
    G[c(2, 4, 6), 1] <- rr * cos(q[1]) - d * k; G[c(2, 4, 6), 2] <- -d * k
    G[1:2, 3] <- -ss * c(cos(q[3]), sin(q[3]))
    G[3:4, 4] <- -e * c(cos(q[4] + q[5]), sin(q[4] + q[5]))
    G[3:4, 5] <- G[3:4, 4] + zt * c(sin(q[5]), -cos(q[5]))
    G[5:6, 6] <- zf * c(sin(q[6] + q[7]), -cos(q[6] + q[7]))
    G[5:6, 7] <- G[5:6, 6] - u * c(cos(q[7]), sin(q[7]))
    x <- rr * cos(q[1]) - d * k; z <- rr * sin(q[1]) - d * s
    g <- c(x - ss * sin(q[3]) - xb, z + ss * cos(q[3]) - yb,
           x - e * sin(q[4] + q[5]) - zt * cos(q[5]) - xa, z + e * cos(q[4] + q[5]) - zt * sin(q[5]) - ya,
           x - zf * cos(q[6] + q[7]) - u * sin(q[7]) - xa, z - zf * sin(q[6] + q[7]) + u * cos(q[7]) - ya)
    list(c(v, w, inertia(q) %*% w - force(q, v) + t(G) %*% lambda, g))
  }
  list(name = "andrews", f = f, end = 0.03, index = c(7, 7, 13), mass = diag(c(rep(1, 14), rep(0, 13))),
       y0 = c(-0.0617138900142764496358948458001, 0, 0.455279819163070380255912382449,
              0.222668390165885884674473185609, 0.487364979543842550225598953530,
              -0.222668390165885884674473185609, 1.23054744454982119249735015568, rep(0, 7),
              14222.4439199541138705911625887, -10666.8329399655854029433719415, rep(0, 5),
              98.5668703962410896057654982170, -6.12268834425566265503114393122, rep(0, 4)),
       known = c(0.1581077119629904e2, -0.1575637105984298e2, 0.4082224013073101e-1, -0.5347301163226948,
                 0.5244099658805304, 0.5347301163226948, 0.1048080741042263e1))
})

car_axis <- local({
  weight <- 10 * 0.01^2 / 2
  f <- function(t, y, p) {
    road <- 0.1 * sin(10 * t)
    along <- sqrt(1 - road^2)
    left <- y[1:2]; right <- y[3:4] - c(along, road); rod <- y[1:2] - y[3:4]
    pull <- function(x) x * (0.5 / sqrt(sum(x^2)) - 1)
    list(c(y[5:8], pull(left) + y[9] * c(along, road) + 2 * y[10] * rod - c(0, weight),
           pull(right) - 2 * y[10] * rod - c(0, weight), sum(left * c(along, road)), sum(rod^2) - 1))
  }
  list(name = "car_axis", f = f, end = 3, index = c(4, 4, 2), mass = diag(c(rep(1, 4), rep(weight, 4), 0, 0)),
       y0 = c(0, 0.5, 1, 0.5, -0.5, 0, -0.5, 0, 0, 0),
       known = c(0.4934557842755629e-1, 0.4969894602303324, 0.1041742524885400e1, 0.3739110272652214))
})

for (problem in list(andrews, car_axis)) {
  rows <- "code,error_tolerance,steps,evaluations,derivatives,scd"
  n <- length(problem$y0)
  for (k in seq(0, 14)) {
    tolerance <- 10^-(4 + k / 2)
    run <- radau(problem$y0, c(0, problem$end), problem$f, NULL, nind = problem$index, mass = problem$mass,
                 massup = 0, massdown = 0, rtol = tolerance, atol = tolerance, hini = tolerance, maxsteps = 1e5)
    count <- attr(run, "istate") # 2: steps; 3: evaluations, n of them for each of the 4: derivatives
    digits <- -log10(max(abs(run[2, 1 + seq_along(problem$known)] / problem$known - 1)))
    rows <- c(rows, sprintf("RADAU5,%.3e,%d,%d,%d,%.2f", tolerance, count[2], count[3] - n * count[4], count[4],
                            digits))
  }
  writeLines(rows, paste0("radau5_", problem$name, ".csv"))
}
